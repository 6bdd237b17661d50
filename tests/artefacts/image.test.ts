import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import manifest from '../../package.json'
import { readCommit } from '../../src/release/commit'
import { imageArguments, pushedVariables } from '../../src/release/image'
import { TARGETS } from '../../src/release/targets'

const ROOT = join(import.meta.dir, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const DOCKERFILE = read('Dockerfile')
/** Its instructions, each in one line. */
const INSTRUCTIONS = DOCKERFILE.replaceAll(/^ *#.*\n/gm, '')
  .replaceAll(/\\\n */g, '')
  .split('\n')
const REPOSITORY = new URL('https://github.com/Acme/switchboard')

const instructions = (name: string): string[] =>
  INSTRUCTIONS.filter((line) => line.startsWith(`${name} `)).map((line) =>
    line.slice(name.length + 1),
  )
/** The values of an option among arguments. */
const valuesOf = (option: string, args: string[]): string[] =>
  args.flatMap((arg, index) => (args[index - 1] === option ? [arg] : []))

test('the image is made of images whose content cannot change', () => {
  const from = instructions('FROM')
  expect(from).toHaveLength(2)
  for (const base of from)
    expect(base).toMatch(
      /^(--platform=\$BUILDPLATFORM )?[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}( AS build)?$/,
    )
})

test('the context has what the build copies', () => {
  const allowed = read('.dockerignore').match(/^!.+/gm) ?? []
  const copied = instructions('COPY')
    .filter((line) => !line.startsWith('--from'))
    .flatMap((line) => line.split(' ').slice(0, -1))
  expect(copied.length).toBeGreaterThan(4)
  expect(copied.map((name) => `!${name}`).toSorted()).toEqual(allowed.toSorted())
})

test('the image says what it is, of which version, commit and date', () => {
  const [label = ''] = instructions('LABEL')
  const labels = Object.fromEntries(
    [...label.matchAll(/org\.opencontainers\.image\.([\w.]+)="([^"]+)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )
  expect(labels).toEqual({
    title: 'Switchboard',
    description: expect.any(String),
    licenses: manifest.license,
    version: '$VERSION',
    revision: '$COMMIT',
    created: '$COMMITTED_AT',
    source: '$REPOSITORY',
    documentation: '$REPOSITORY#readme',
    'base.name': instructions('FROM')[1]?.split('@')[0] ?? '',
  })
  const given = Object.fromEntries(
    valuesOf('--build-arg', imageArguments(REPOSITORY, true)).map(
      (pair) => pair.split('=') as [string, string],
    ),
  )
  const { hash = '', committedAt = '' } = readCommit(ROOT) ?? {}
  expect(given).toEqual({
    VERSION: manifest.version,
    REPOSITORY: REPOSITORY.href,
    ...(hash === ''
      ? {}
      : {
          COMMIT: hash,
          COMMITTED_AT: committedAt,
          SOURCE_DATE_EPOCH: String(Date.parse(committedAt) / 1_000),
        }),
  })
  const declared = instructions('ARG').flatMap((line) => line.split(' '))
  // the first is set by Docker, the last is for Docker alone
  expect(new Set(declared)).toEqual(
    new Set(['TARGETARCH', 'VERSION', 'COMMIT', 'COMMITTED_AT', 'REPOSITORY']),
  )
})

test('the pushed image is for both processors and has provenance; the one for this machine is not pushed', () => {
  const pushed = imageArguments(REPOSITORY, true)
  const platforms = valuesOf('--platform', pushed).join().split(',')
  expect(platforms).toEqual(['linux/amd64', 'linux/arm64'])
  for (const platform of platforms)
    expect(Object.keys(TARGETS)).toContain(platform.replace('/', '-').replace('amd64', 'x64'))
  expect(valuesOf('--tag', pushed)).toEqual([
    `ghcr.io/acme/switchboard:${manifest.version}`,
    'ghcr.io/acme/switchboard:latest',
  ])
  expect(valuesOf('--provenance', pushed)).toEqual(['mode=max'])
  const kept = imageArguments(REPOSITORY, false)
  expect(kept).toContain('--load')
  expect(kept.join(' ')).not.toContain('registry')
})

test('the pushed image is named by its digest', () => {
  const digest = `sha256:${'0'.repeat(64)}`
  const written = JSON.stringify({ 'containerimage.digest': digest, 'image.name': 'x' })
  expect(pushedVariables(written, REPOSITORY)).toBe(
    `name=ghcr.io/acme/switchboard\ndigest=${digest}\n`,
  )
  for (const other of ['{}', '{"containerimage.digest":"sha256:0\\nname=x"}'])
    expect(() => pushedVariables(other, REPOSITORY)).toThrow('no digest')
})

describe('what people are told to run', () => {
  const pages = [
    'Dockerfile',
    'README.md',
    ...readdirSync(join(ROOT, 'src/docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `src/docs/${name}`),
  ]
  const runs = pages.flatMap((page) =>
    [...read(page).matchAll(/docker run [^`\n]+/g)].map(([command]) => ({ page, command })),
  )

  test('publishes containers on this machine only', () => {
    expect(runs.length).toBeGreaterThan(3)
    for (const { page, command } of runs)
      for (const [, published = ''] of command.matchAll(/(?:-p|--publish) (\S+)/g))
        expect(`${page}: ${published}`).toMatch(/: 127\.0\.0\.1:\d+:\d+$/)
  })

  test('shows the demo from a container, which listens inside it on all addresses', () => {
    const demos = runs.filter(({ command }) => command.includes(' demo'))
    for (const page of ['Dockerfile', 'src/docs/start.md', 'src/docs/operate.md'])
      expect(demos.map((one) => one.page)).toContain(page)
    expect(instructions('ENV').join(' ')).toMatch(/ HOST=0\.0\.0\.0 DEMO_HOST=0\.0\.0\.0$/)
    for (const { command } of demos)
      expect(command).toMatch(/ -p 127\.0\.0\.1:8080:8080 .*switchboard demo(?! --host)/)
  })
})

test('one version of Bun builds the image, the executables and the tests', () => {
  const version = manifest.devDependencies['bun-types']
  expect(Bun.version).toBe(version)
  expect(DOCKERFILE).toContain(
    '"bun@$(node -p \'require("./package.json").devDependencies["bun-types"]\')"',
  )
  const named = [...read('README.md').matchAll(/\bbun@(\d[\w.]*)/g)].map(([, one]) => one)
  expect(new Set(named)).toEqual(new Set([version]))
})
