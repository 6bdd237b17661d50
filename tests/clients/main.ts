/**
 * `bun run clients [word…]`: generates clients from the API document of this version with the
 * default options of nine generators, compiles them as they are, and lets each sign in, list
 * contacts, send a message to a running server with a simulated platform, read it, meet an error
 * and read an event. Installs the generators into a temporary folder; those whose language is not
 * installed are skipped. Then makes the client packages, installs and uses them, and lets a public
 * client of the platform send to the simulator. Prints one line for each, or only for those whose name contains one of the words. Ends with 1 when one
 * of them fails.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { exampleBody } from '../../src/modules/delivery/webhooks/events/examples'
import { takenBodies } from '../support/lines'
import { openSendFixture, type SendFixture } from '../support/sending'
import { PASSWORD } from '../support/world'
import { exec } from './exec'
import { PACKAGES, tryPackages } from './packages'
import { PYWA, runPywa } from './pywa'
import type { ProgramEnv } from './programs/env'
import { GO, OAPI_CODEGEN } from './programs/go'
import { PYTHON, PYTHON_CLIENT } from './programs/python'
import {
  HEY_API,
  OPENAPI_TYPESCRIPT,
  ORVAL,
  SWAGGER_TYPESCRIPT_API,
  TYPESCRIPT_FETCH,
} from './programs/typescript'

/** A generator or check: what it needs, and how its client is made and used. */
interface Generator {
  name: string
  /** Programs that have to be installed. */
  needs: string[]
  /** Makes, compiles and runs the client in a folder of its own. */
  run: (folder: string, document: string, env: ProgramEnv) => Promise<void>
  /** Whether it only checks the document and sends nothing. */
  isCheck?: boolean
}

const npm = (folder: string, packages: string[]): Promise<unknown> =>
  exec(folder, ['npm', 'install', '--no-audit', '--no-fund', '--prefix', folder, ...packages])

/** How TypeScript checks the clients; the programs are modules. */
const TSC = [
  ...['--noEmit', '--strict', '--skipLibCheck', '--lib', 'es2022,dom,dom.iterable'],
  ...['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'],
]

/** Checks a program in TypeScript with the client that it uses, and runs it. */
async function tryTypescript(
  folder: string,
  program: string,
  env: ProgramEnv,
  options: string[] = [],
): Promise<void> {
  await Bun.write(join(folder, 'program.ts'), program)
  await exec(folder, ['npx', 'tsc', ...TSC, ...options, 'program.ts'])
  await exec(folder, [process.execPath, 'program.ts'], env)
}

const TYPESCRIPT = 'typescript@5.9.3'

/** Runs openapi-generator, with its default options unless others are named. */
async function openapiGenerator(
  folder: string,
  document: string,
  language: string,
  options: string[] = [],
): Promise<void> {
  await npm(folder, ['@openapitools/openapi-generator-cli@2.35.0', TYPESCRIPT])
  await exec(folder, [
    ...['npx', 'openapi-generator-cli', 'generate', '-i', document, '-g', language, '-o', 'client'],
    ...options,
  ])
}

/** Makes an environment of Python with packages, and returns the folder of its programs. */
async function pythonWith(folder: string, packages: string[]): Promise<string> {
  await exec(folder, ['python3', '-m', 'venv', 'venv'])
  const bin = join(folder, 'venv', 'bin')
  await exec(folder, [join(bin, 'python'), '-m', 'pip', 'install', '--quiet', ...packages])
  return bin
}

async function tryPython(folder: string, bin: string, program: string, env: ProgramEnv) {
  await Bun.write(join(folder, 'program.py'), program)
  await exec(folder, [join(bin, 'python'), 'program.py'], env)
}

async function tryGo(folder: string, program: string, env: ProgramEnv): Promise<void> {
  await Bun.write(join(folder, 'main.go'), program)
  await exec(folder, ['go', 'mod', 'tidy'])
  await exec(folder, ['go', 'run', '.'], env)
}

const GENERATORS: Generator[] = [
  {
    name: 'openapi-typescript 7.13.0',
    needs: ['npm'],
    async run(folder, document, env) {
      await npm(folder, ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', TYPESCRIPT])
      await exec(folder, ['npx', 'openapi-typescript', document, '-o', 'api.ts'])
      await tryTypescript(folder, OPENAPI_TYPESCRIPT, env)
    },
  },
  {
    name: 'hey-api 0.99.0',
    needs: ['npm'],
    async run(folder, document, env) {
      await npm(folder, ['@hey-api/openapi-ts@0.99.0', TYPESCRIPT])
      await exec(folder, ['npx', 'openapi-ts', '-i', document, '-o', 'client'])
      await tryTypescript(folder, HEY_API, env)
    },
  },
  {
    name: 'orval 7.13.2',
    needs: ['npm'],
    async run(folder, document, env) {
      await npm(folder, ['orval@7.13.2', 'axios@1.13.2', TYPESCRIPT])
      await exec(folder, ['npx', 'orval', '--input', document, '--output', 'client.ts'])
      await tryTypescript(folder, ORVAL, env)
    },
  },
  {
    name: 'swagger-typescript-api 13.13.0',
    needs: ['npm'],
    async run(folder, document, env) {
      await npm(folder, ['swagger-typescript-api@13.13.0', TYPESCRIPT])
      const options = ['-p', document, '-o', 'client', '-n', 'api.ts']
      await exec(folder, ['npx', 'swagger-typescript-api', 'generate', ...options])
      await tryTypescript(folder, SWAGGER_TYPESCRIPT_API, env)
    },
  },
  {
    name: 'openapi-generator 7.23.0, typescript-fetch',
    needs: ['npm', 'java'],
    async run(folder, document, env) {
      // By default it makes two spellings of each field, whose combinations are too many for
      // TypeScript from 4.9 on to check.
      const spelling = ['--additional-properties', 'modelPropertyNaming=original']
      // It forgets the models of forms that JSON can be sent for too.
      const forms = ['--global-property', 'skipFormModel=false']
      await openapiGenerator(folder, document, 'typescript-fetch', [...spelling, ...forms])
      // It reads fields of `object` that TypeScript does not know.
      await tryTypescript(folder, TYPESCRIPT_FETCH, env, ['--noImplicitAny', 'false'])
    },
  },
  {
    name: 'openapi-generator 7.23.0, python',
    needs: ['npm', 'java', 'python3'],
    async run(folder, document, env) {
      await openapiGenerator(folder, document, 'python')
      const bin = await pythonWith(folder, ['./client'])
      await tryPython(folder, bin, PYTHON, env)
    },
  },
  {
    name: 'openapi-generator 7.23.0, go',
    needs: ['npm', 'java', 'go'],
    async run(folder, document, env) {
      await openapiGenerator(folder, document, 'go')
      const module = 'github.com/GIT_USER_ID/GIT_REPO_ID'
      await Bun.write(
        join(folder, 'go.mod'),
        `module program\n\ngo 1.23\n\nrequire ${module} v0.0.0\n\nreplace ${module} => ./client\n`,
      )
      await exec(join(folder, 'client'), ['go', 'build', './...'])
      await tryGo(folder, GO, env)
    },
  },
  {
    name: 'oapi-codegen 2.8.2',
    needs: ['go'],
    async run(folder, document, env) {
      const bin = { GOBIN: join(folder, 'bin') }
      await exec(folder, ['go', 'install', OAPI_CODEGEN_PROGRAM], bin)
      await Bun.write(join(folder, 'go.mod'), 'module client\n\ngo 1.23\n')
      mkdirSync(join(folder, 'api'))
      const options = ['-package', 'api', '-generate', 'types,client', '-o', 'api/api.gen.go']
      await exec(folder, [join(bin.GOBIN, 'oapi-codegen'), ...options, document])
      await tryGo(folder, OAPI_CODEGEN, env)
    },
  },
  {
    name: 'openapi-python-client 0.29.1',
    needs: ['python3'],
    async run(folder, document, env) {
      const bin = await pythonWith(folder, ['openapi-python-client==0.29.1'])
      await exec(folder, [
        ...[join(bin, 'openapi-python-client'), 'generate', '--path', document],
        ...['--meta', 'none', '--output-path', 'client'],
      ])
      await exec(folder, [join(bin, 'python'), '-m', 'compileall', '-q', 'client'])
      await tryPython(folder, bin, PYTHON_CLIENT, env)
    },
  },
]

/** Checks both documents with the rules of Spectral, and that of the socket with its own parser. */
const CHECKS: Generator = {
  isCheck: true,
  name: 'spectral 6.16.3 and asyncapi-parser 3.6.6',
  needs: ['npm', 'node'],
  async run(folder, document, env) {
    await npm(folder, ['@stoplight/spectral-cli@6.16.3', '@asyncapi/parser@3.6.6'])
    await Bun.write(
      join(folder, '.spectral.yaml'),
      'extends: ["spectral:oas", "spectral:asyncapi"]\n',
    )
    const socket = join(folder, 'asyncapi.json')
    await Bun.write(socket, await (await fetch(`${env.BASE_URL}/asyncapi.json`)).text())
    await exec(folder, ['npx', 'spectral', 'lint', '-D', document, socket])
    await Bun.write(join(folder, 'parse.mjs'), PARSE)
    await exec(folder, ['node', 'parse.mjs'])
  },
}

const PARSE = `
import { readFileSync } from 'node:fs'
import { Parser } from '@asyncapi/parser'
const { document, diagnostics } = await new Parser().parse(readFileSync('asyncapi.json', 'utf8'))
const errors = diagnostics.filter(({ severity }) => severity === 0)
if (!document || errors.length > 0) throw new Error(JSON.stringify(errors, null, 1))
`

const OAPI_CODEGEN_PROGRAM = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'

/** Whether the client of a generator works; its line is printed. */
async function tryOut(
  { name, needs, run, isCheck = false }: Generator,
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
      EVENT: JSON.stringify(exampleBody('message.received')),
      MISSING: '019a52b0-1c00-7000-8000-00000000ffff',
    })
    await world.settle()
    if (!isCheck && !takenBodies(world).some((body) => JSON.stringify(body).includes(text)))
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
  const words = process.argv.slice(2)
  const isAsked = (name: string): boolean =>
    words.length === 0 || words.some((word) => name.includes(word))
  for (const generator of [CHECKS, ...GENERATORS].filter(({ name }) => isAsked(name)))
    works = (await tryOut(generator, root, fixture)) && works
  if (PACKAGES.some(isAsked)) works = (await tryPackages(root)) && works
  if (isAsked(PYWA)) works = (await tryPywa()) && works
} finally {
  rmSync(root, { recursive: true, force: true })
}
process.exitCode = works ? 0 : 1
