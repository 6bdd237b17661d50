/** Loaded before a test file: numbers its tests, from 0, for the record of what each reaches. */
import { beforeEach } from 'bun:test'

import { enterTest } from './switch'

let started = 0

enterTest('file')
beforeEach(() => enterTest(String(started++)))
