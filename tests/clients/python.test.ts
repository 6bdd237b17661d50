/** The Python client through the front door: its source and its generated part. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readDocument, writePython } from '../../src/clients/write'
import { findPython } from '../support/python'
import { ControlledWorld } from './control'

const python = findPython()

test.skipIf(python === null)(
  `the Python client calls, listens and verifies${python ? '' : ' (skipped: no Python 3.11 or later)'}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-python-'))
    const world = await ControlledWorld.create()
    try {
      await writePython(folder, await readDocument())
      const child = Bun.spawn([python ?? '', join(import.meta.dir, 'client_test.py'), '-v'], {
        env: { ...world.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const said = await child.stderr.text()
      expect(await child.exited, said).toBe(0)
      expect(said).toMatch(/^Ran 14 tests/m)
    } finally {
      await world.stop()
      rmSync(folder, { recursive: true })
    }
  },
  60_000,
)
