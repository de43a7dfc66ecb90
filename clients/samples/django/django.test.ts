import { testPythonSample } from '../test/python-sample.ts';

testPythonSample('Django', {
  folder: import.meta.dirname,
  application: 'asgi:application',
  prepare: ['migrate'],
  form: true,
});
