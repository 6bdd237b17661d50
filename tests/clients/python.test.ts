/** The Python client through the front door: its source and its generated part. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { writePython } from '../../src/clients/build'
import { ControlledWorld } from './control'

const python = Bun.which('python3')
/** The client needs 3.11; there is nothing else that it needs. */
const canRun =
  python !== null &&
  Bun.spawnSync([python, '-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).success

test.skipIf(!canRun)(
  `the Python client calls, listens and verifies${canRun ? '' : ' (skipped: no Python 3.11 or later)'}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-python-'))
    const world = await ControlledWorld.create()
    try {
      await writePython(folder)
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
