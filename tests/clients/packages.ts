import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { packClients } from '../../src/clients/pack'
import { botIn } from '../support/guide'
import { deliver, personOf, takenBodies, textTo } from '../support/lines'
import { ControlledWorld } from './control'
import { exec } from './exec'

export const PACKAGES = [
  'the npm package, in Node',
  'the Python package, in an environment',
] as const

const ANSWER_MS = 30_000

/** Starts the bot of the guide, and waits until it has answered a message from before its start. */
async function answersOnce(folder: string, command: string[], world: ControlledWorld) {
  const { world: server } = world.inbox
  const text = `Hello from ${command[0]}`
  const answers = (): number =>
    takenBodies(server).filter((body) => JSON.stringify(body).includes(`You said: ${text}`)).length
  await deliver(server, textTo(server, text, { person: personOf(2) }))
  const bot = Bun.spawn(command, {
    cwd: folder,
    env: { ...process.env, ...world.env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  try {
    for (const endMs = Date.now() + ANSWER_MS; answers() === 0;) {
      if (bot.exitCode !== null || Date.now() > endMs)
        throw new Error(`the bot did not answer: ${await stopped(bot)}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
      await server.settle()
    }
  } finally {
    bot.kill('SIGKILL')
    await bot.exited
  }
  await server.settle()
  if (answers() !== 1) throw new Error(`the bot answered ${answers()} times`)
}

/** Stops a program, and returns what it printed. */
async function stopped(program: Bun.Subprocess<'ignore', 'pipe', 'pipe'>): Promise<string> {
  program.kill('SIGKILL')
  await program.exited
  return `${await program.stdout.text()}${await program.stderr.text()}`
}

/** Installs the tarball into an empty folder; checks and runs the bot of the guide in Node. */
async function tryNpm(folder: string, file: string, world: ControlledWorld): Promise<void> {
  await Bun.write(join(folder, 'package.json'), '{"type":"module","private":true}\n')
  const tools = ['typescript@5.9.3', '@types/node@20', 'ws@8', '@types/ws@8']
  await exec(folder, ['npm', 'install', '--no-audit', '--no-fund', file, ...tools])
  // Node 20 has no WebSocket of its own.
  const program = botIn('ts').replace('events({', 'events({ webSocket: WebSocket,')
  await Bun.write(join(folder, 'bot.ts'), `import { WebSocket } from 'ws'\n${program}`)
  await exec(folder, [
    ...['npx', 'tsc', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
    ...['--module', 'nodenext', '--target', 'es2022', '--types', 'node', 'bot.ts'],
  ])
  await answersOnce(folder, ['node', 'bot.js'], world)
}

/** Installs the wheel into an environment without an index; checks its types and runs its tests. */
async function tryPip(folder: string, file: string, world: ControlledWorld): Promise<void> {
  await exec(folder, ['python3', '-m', 'venv', 'venv'])
  const python = join(folder, 'venv/bin/python')
  await exec(folder, [python, '-m', 'pip', 'install', '--quiet', '--no-index', file])
  copyFileSync(join(import.meta.dir, 'client_test.py'), join(folder, 'client_test.py'))
  await exec(folder, [python, 'client_test.py'], world.env)
  await Bun.write(join(folder, 'bot.py'), botIn('python'))
  await answersOnce(folder, [python, 'bot.py'], world)
  await exec(folder, [python, '-m', 'pip', 'install', '--quiet', 'mypy==2.4.1'])
  await exec(folder, [python, '-m', 'mypy', '--strict', '-p', 'switchboard_client'])
  await exec(folder, [python, '-m', 'mypy', '--check-untyped-defs', 'bot.py'])
}

/** Makes the packages, installs each into an empty folder and uses it. Whether all of them work. */
export async function tryPackages(root: string): Promise<boolean> {
  const missing = ['npm', 'node', 'python3'].filter((program) => Bun.which(program) === null)
  if (missing.length > 0) {
    console.log(`- the packages: skipped, ${missing.join(' and ')} not installed`)
    return true
  }
  const made = join(root, 'packages')
  const names = await packClients(made)
  let works = true
  for (const [nth, [ending, run]] of (
    [
      ['.tgz', tryNpm],
      ['.whl', tryPip],
    ] as const
  ).entries()) {
    const folder = join(root, `package-${nth}`)
    mkdirSync(folder)
    const begun = performance.now()
    const world = await ControlledWorld.create()
    try {
      await run(folder, join(made, names.find((name) => name.endsWith(ending)) ?? ''), world)
      console.log(`✓ ${PACKAGES[nth]}: ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
    } catch (error) {
      works = false
      console.log(`✗ ${PACKAGES[nth]}: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      await world.stop()
    }
  }
  return works
}
