import '@mantine/core/styles/NumberInput.layer.css';
import './number-input.css';

export { NumberInput } from '@mantine/core';
