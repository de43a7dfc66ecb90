import '@mantine/core/styles/PasswordInput.layer.css';

export { PasswordInput } from '@mantine/core';
