// as: libs/runtime/wrong-example.spec.ts
// bites: no-restricted-syntax
import * as fs from 'node:fs';

jest.spyOn(fs, 'readFileSync');
