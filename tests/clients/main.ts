/**
 * `bun run clients`: generates clients from the API document of this version, compiles them as they
 * are, and lets each sign in, list contacts and send a message to a running server with a simulated
 * platform. Installs the generators into a temporary folder; those whose language is not installed
 * are skipped. Then lets a public client of the platform send to the simulator. Prints one line for
 * each. Ends with 1 when one of them fails.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { takenBodies } from '../support/lines'
import { openSendFixture, type SendFixture } from '../support/sending'
import { PASSWORD } from '../support/world'
import { exec } from './exec'
import { PYWA, runPywa } from './pywa'
import { OPENAPI_TYPESCRIPT, PYTHON, TYPESCRIPT_FETCH, type ProgramEnv } from './programs'

/** A generator: what it needs, and how its client is made and used. */
interface Generator {
  name: string
  /** Programs that have to be installed. */
  needs: string[]
  /** Makes, compiles and runs the client in a folder of its own. */
  run: (folder: string, document: string, env: ProgramEnv) => Promise<void>
}

const npm = (folder: string, packages: string[]): Promise<unknown> =>
  exec(folder, ['npm', 'install', '--no-audit', '--no-fund', '--prefix', folder, ...packages])

/** How TypeScript checks the clients; the programs are modules. */
const TSC = ['--noEmit', '--strict', '--skipLibCheck', '--lib', 'es2022,dom', '--target', 'es2022']

const GENERATORS: Generator[] = [
  {
    name: 'openapi-typescript 7.13.0',
    needs: ['npm'],
    async run(folder, document, env) {
      await npm(folder, ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'])
      await exec(folder, ['npx', 'openapi-typescript', document, '-o', 'api.ts'])
      await Bun.write(join(folder, 'program.ts'), OPENAPI_TYPESCRIPT)
      const modules = ['--module', 'esnext', '--moduleResolution', 'bundler']
      await exec(folder, ['npx', 'tsc', ...TSC, ...modules, 'program.ts'])
      await exec(folder, [process.execPath, 'program.ts'], env)
    },
  },
  {
    name: 'openapi-generator 7.23.0, typescript-fetch',
    needs: ['npm', 'java'],
    async run(folder, document, env) {
      await npm(folder, ['@openapitools/openapi-generator-cli@2.35.0', 'typescript@5.9.3'])
      const options = 'npmName=client,modelPropertyNaming=original,paramNaming=original'
      await exec(folder, [
        ...['npx', 'openapi-generator-cli', 'generate', '-i', document, '-g', 'typescript-fetch'],
        ...['-o', 'client', '--additional-properties', options],
        // Operations that take JSON or a form need the model of the form too.
        ...['--global-property', 'skipFormModel=false'],
      ])
      await exec(folder, ['npx', 'tsc', '-p', 'client', '--noEmit'])
      await Bun.write(join(folder, 'program.ts'), TYPESCRIPT_FETCH)
      const modules = [
        '--module',
        'commonjs',
        '--moduleResolution',
        'node',
        '--noImplicitAny',
        'false',
      ]
      await exec(folder, ['npx', 'tsc', ...TSC, ...modules, 'program.ts'])
      await exec(folder, [process.execPath, 'program.ts'], env)
    },
  },
  {
    name: 'openapi-python-client 0.29.1',
    needs: ['python3'],
    async run(folder, document, env) {
      const python = join(folder, 'venv', 'bin', 'python')
      await exec(folder, ['python3', '-m', 'venv', 'venv'])
      await exec(folder, [
        python,
        '-m',
        'pip',
        'install',
        '--quiet',
        'openapi-python-client==0.29.1',
      ])
      await exec(folder, [
        ...[join(folder, 'venv', 'bin', 'openapi-python-client'), 'generate', '--path', document],
        ...['--meta', 'none', '--output-path', 'client'],
      ])
      await exec(folder, [python, '-m', 'compileall', '-q', 'client'])
      await Bun.write(join(folder, 'program.py'), PYTHON)
      await exec(folder, [python, 'program.py'], env)
    },
  },
]

/** Whether the client of a generator works; its line is printed. */
async function tryOut(
  { name, needs, run }: Generator,
  root: string,
  fixture: SendFixture,
): Promise<boolean> {
  const missing = needs.filter((program) => Bun.which(program) === null)
  if (missing.length > 0) {
    console.log(`- ${name}: skipped, ${missing.join(' and ')} not installed`)
    return true
  }
  const folder = join(root, name.replaceAll(/\W+/g, '-'))
  mkdirSync(folder)
  const begun = performance.now()
  const { world } = fixture
  const text = `Sent by ${name}`
  const email = world.emailOf('manager', world.tenant)
  try {
    await run(folder, join(root, 'openapi.json'), {
      BASE_URL: world.url,
      EMAIL: email,
      PASSWORD,
      TEXT: text,
    })
    await world.settle()
    if (!takenBodies(world).some((body) => JSON.stringify(body).includes(text)))
      throw new Error('The platform did not get the message.')
    console.log(`✓ ${name}: ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
    return true
  } catch (error) {
    console.log(`✗ ${name}: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

/** Whether the simulator takes what pywa sends; its line is printed. */
async function tryPywa(): Promise<boolean> {
  if (Bun.which('python3') === null) {
    console.log(`- ${PYWA}: skipped, python3 not installed`)
    return true
  }
  try {
    console.log(`✓ ${PYWA}: ${await runPywa(root)}`)
    return true
  } catch (error) {
    console.log(`✗ ${PYWA}: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

const root = mkdtempSync(join(tmpdir(), 'switchboard-clients-'))
let works = true
try {
  await using fixture = await openSendFixture({ tenants: 1 })
  const document = await fetch(`${fixture.world.url}/openapi.json`)
  await Bun.write(join(root, 'openapi.json'), await document.text())
  for (const generator of GENERATORS) works = (await tryOut(generator, root, fixture)) && works
  works = (await tryPywa()) && works
} finally {
  rmSync(root, { recursive: true, force: true })
}
process.exitCode = works ? 0 : 1
