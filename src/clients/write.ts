import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import manifest from '../../package.json'
import { typesOf, type ApiDocument } from '../console/api/generate'
import { pythonOf } from './python/generate'

const HERE = import.meta.dir
export const ROOT = join(HERE, '../..')
const DESCRIPTION = 'Client of Switchboard, the self-hosted server for WhatsApp Business'
/** What both packages say of themselves. They have the version of the server that they are made for. */
const { version, license } = manifest

/** Reads the API document of this version. */
export const readDocument = (): Promise<ApiDocument> =>
  Bun.file(join(ROOT, 'tests/contract/openapi.json')).json() as Promise<ApiDocument>

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** Writes the TypeScript package into a folder, generated parts included, to be compiled. */
export async function writeTypescript(folder: string, document: ApiDocument): Promise<void> {
  const source = join(HERE, 'typescript')
  const entry = (name: string) => ({ types: `./lib/${name}.d.ts`, default: `./lib/${name}.js` })
  const files: Record<string, string> = {
    'src/types.gen.ts': typesOf(document, true),
    'README.md': readFileSync(join(source, 'README.md'), 'utf8'),
    'package.json': json({
      ...{ name: 'switchboard-client', version, description: `${DESCRIPTION}.`, license },
      ...{ type: 'module', sideEffects: false, files: ['lib'], engines: { node: '>=20.3' } },
      exports: { '.': entry('index'), './node': entry('node') },
    }),
    'tsconfig.json': json({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        ...{ noEmit: false, noEmitOnError: true, declaration: true, target: 'ES2022' },
        ...{ module: 'ESNext', rootDir: 'src', outDir: 'lib', removeComments: false },
        typeRoots: [join(ROOT, 'node_modules')],
      },
      ...{ files: [], include: ['src'], exclude: [] },
    }),
  }
  for (const name of readdirSync(source).filter((one) => one.endsWith('.ts')))
    files[`src/${name}`] = readFileSync(join(source, name), 'utf8').replaceAll(
      '../../console/api/types.gen',
      './types.gen',
    )
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text)
}

/** Writes the Python package into a folder, generated parts included. */
export async function writePython(folder: string, document: ApiDocument): Promise<void> {
  const source = join(HERE, 'python')
  const target = join(folder, 'switchboard_client')
  mkdirSync(target, { recursive: true })
  cpSync(join(source, 'switchboard_client'), target, {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  })
  cpSync(join(source, 'README.md'), join(folder, 'README.md'))
  await Bun.write(
    join(folder, 'pyproject.toml'),
    `[project]
name = "switchboard-client"
version = "${version}"
description = "${DESCRIPTION}."
license = "${license}"
license-files = ["LICENSE"]
readme = "README.md"
requires-python = ">=3.11"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets]
wheel.packages = ["switchboard_client"]
sdist.include = ["/switchboard_client", "/README.md", "/LICENSE"]
`,
  )
  for (const [name, text] of Object.entries(pythonOf(document)))
    await Bun.write(join(target, name), text)
}
