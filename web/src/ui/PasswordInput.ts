import '@mantine/core/styles/PasswordInput.layer.css';
import './password-input.css';

export { PasswordInput } from '@mantine/core';
