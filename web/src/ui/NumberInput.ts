import '@mantine/core/styles/NumberInput.layer.css';

export { NumberInput } from '@mantine/core';
