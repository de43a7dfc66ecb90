import { testPythonSample } from '../test/python-sample.ts';

testPythonSample('FastAPI', { folder: import.meta.dirname, application: 'main:app' });
