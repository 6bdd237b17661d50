import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { IsolatedProcessError, runIsolated } from '../../src/infra/isolated-process'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolated-'))
  writeFileSync(join(folder, 'input'), 'the input')
})
afterAll(() => rmSync(folder, { recursive: true }))

const LIMITS = { timeoutMs: 20_000, maxMemoryBytes: 256 * 1_024 * 1_024 }

/** Runs a program in a process of its own and returns its lines. */
function run(program: string, limits: Partial<typeof LIMITS> & { signal?: AbortSignal } = {}) {
  const path = join(folder, `${Bun.hash(program)}.ts`)
  writeFileSync(path, program)
  return Array.fromAsync(
    runIsolated([process.execPath, path], {
      inputPath: join(folder, 'input'),
      signal: new AbortController().signal,
      ...LIMITS,
      ...limits,
    }),
  )
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'it ended well'
  } catch (error) {
    if (error instanceof IsolatedProcessError) return error.reason
    throw error
  }
}

const LOCK = `import { lockProcess } from '${join(import.meta.dir, '../../src/modules/automation/ai/documents/reader/lock-process.ts')}'`

describe('an isolated process', () => {
  test('gets a file as its input, prints lines, and knows no environment variable', async () => {
    expect(
      await run(`console.log(await Bun.stdin.text())
        console.log(JSON.stringify(process.env.SECRET_KEY ?? null), process.env.HOME ?? 'no home')`),
    ).toEqual(['the input', 'null no home'])
  })

  test('is killed when it takes too much memory', async () => {
    const greedy = `const taken = []
      for (;;) { taken.push(new Uint8Array(8_000_000).fill(1)); await Bun.sleep(5) }`
    expect(await reasonOf(run(greedy))).toBe('memory')
  })

  test('is killed when it takes too long or nobody waits any more', async () => {
    expect(await reasonOf(run('for (;;);', { timeoutMs: 300 }))).toBe('timeout')
    const giveUp = new AbortController()
    const work = reasonOf(run('for (;;);', { signal: giveUp.signal }))
    giveUp.abort()
    expect(await work).toBe('aborted')
  })

  test('that crashes is an error, whatever it printed before', async () => {
    expect(await reasonOf(run('console.log(1); process.exit(3)'))).toBe('crashed')
  })

  test('that is locked reaches no file and no network', async () => {
    let hits = 0
    const server = Bun.serve({ port: 0, fetch: () => new Response(String((hits += 1))) })
    const tried = (what: string, name: string): string =>
      `try { ${what}; console.log('${name} worked') } catch { console.log('${name} failed') }`
    const program = `${LOCK}
      import { readFileSync } from 'node:fs'
      import { connect } from 'node:net'
      lockProcess()
      ${tried("readFileSync('/etc/passwd')", 'file')}
      ${tried("await Bun.file('/etc/passwd').text()", 'other file')}
      ${tried("Bun.spawnSync(['/bin/true'])", 'program')}
      ${tried(`await new Promise((done, fail) => connect(${server.port}, '127.0.0.1').on('connect', done).on('error', fail))`, 'socket')}
      console.log('still alive')`
    try {
      expect(await run(program)).toEqual([
        'file failed',
        'other file failed',
        'program failed',
        'socket failed',
        'still alive',
      ])
      const fetching = `${LOCK}
        lockProcess()
        await fetch('http://127.0.0.1:${server.port}/')`
      expect(await reasonOf(run(fetching))).toBe('crashed')
      expect(hits).toBe(0)
    } finally {
      await server.stop(true)
    }
  })
})
