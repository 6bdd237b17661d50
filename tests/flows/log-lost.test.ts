import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { PROGRAM, ServerProcess } from '../support/process'
import { freePort } from '../support/ports'

const folder = mkdtempSync(join(tmpdir(), 'log-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function answers(url: string): Promise<boolean> {
  for (let round = 0; round < 500; round += 1) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => null,
    )
    if (status === 200) return true
    await Bun.sleep(10)
  }
  return false
}

describe('a server starts, serves and stops while its log cannot be written', () => {
  // A file on a full disk; a reader that has gone, as a log collector that is started anew.
  const ways: [string, string][] = [
    ['because the disk is full', 'exec "$@" > /dev/full'],
    [
      'because its reader has gone',
      'mkfifo "$FIFO" && { true < "$FIFO" & } && exec "$@" > "$FIFO"',
    ],
  ]
  for (const [format, [why, script]] of (['json', 'pretty'] as const).flatMap((format) =>
    ways.map((way) => [format, way] as const),
  ))
    test(`${why} (${format})`, async () => {
      const port = await freePort()
      await using server = ServerProcess.spawn({
        cwd: folder,
        command: ['/bin/sh', '-c', script, 'sh', ...PROGRAM],
        env: {
          FIFO: join(folder, `${format}.fifo`),
          DATA_DIR: join(folder, `${format}-${script.length}`),
          PORT: String(port),
          LOG_FORMAT: format,
          PASSWORD_MEMORY_MIB: '8',
          PLATFORM_BASE_URL: 'http://127.0.0.1:1',
        },
      })
      const url = `http://127.0.0.1:${port}`
      expect(await answers(`${url}/ready`)).toBe(true)
      for (let request = 0; request < 50; request += 1)
        expect((await fetch(`${url}/api/me`)).status).toBe(401)
      expect(server.isRunning).toBe(true)
      expect(await server.stop()).toBe(0)
      expect(server.errors).toBe('')
    })
})
