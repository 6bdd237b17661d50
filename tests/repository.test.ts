/** Files that tools and the host of the repository read, each from its own place. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { Type as t, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const root = join(import.meta.dir, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const { devDependencies, scripts } = JSON.parse(read('package.json')) as {
  devDependencies: Record<string, string>
  scripts: Record<string, string>
}
const bunVersion = devDependencies['bun-types'] ?? ''

const exactly = <T extends Record<string, TSchema>>(fields: T) =>
  t.Object(fields, { additionalProperties: false })
const Text = t.String({ pattern: String.raw`\S` })
const Id = t.String({ pattern: '^[a-z_-]+$' })
const validations = t.Optional(exactly({ required: t.Optional(t.Boolean()) }))
const common = { label: Text, description: t.Optional(Text) }

/** A form of an issue, as https://docs.github.com describes its fields. */
const IssueForm = exactly({
  name: Text,
  description: Text,
  labels: t.Optional(t.Array(Text)),
  body: t.Array(
    t.Union([
      exactly({ type: t.Literal('markdown'), attributes: exactly({ value: Text }) }),
      exactly({
        type: t.Literal('textarea'),
        id: Id,
        attributes: exactly({
          ...common,
          value: t.Optional(Text),
          placeholder: t.Optional(Text),
          render: t.Optional(Text),
        }),
        validations,
      }),
      exactly({
        type: t.Literal('input'),
        id: Id,
        attributes: exactly({ ...common, placeholder: t.Optional(Text) }),
        validations,
      }),
      exactly({
        type: t.Literal('dropdown'),
        id: Id,
        attributes: exactly({ ...common, options: t.Array(Text, { uniqueItems: true }) }),
        validations,
      }),
      exactly({
        type: t.Literal('checkboxes'),
        id: Id,
        attributes: exactly({
          ...common,
          options: t.Array(exactly({ label: Text, required: t.Optional(t.Boolean()) })),
        }),
      }),
    ]),
    { minItems: 1 },
  ),
})

const problemsOf = (form: unknown): string[] =>
  [...Value.Errors(IssueForm, form)].map(({ path, message }) => `${path} ${message}`)

describe('the forms of issues', () => {
  const folder = '.github/ISSUE_TEMPLATE'
  const forms = readdirSync(join(root, folder)).filter((name) => name !== 'config.yml')

  test.each(forms)('%s is one that GitHub takes', (name) => {
    const form = Bun.YAML.parse(read(`${folder}/${name}`))
    expect(problemsOf(form)).toEqual([])
    const { body } = form as { body: { id?: string; validations?: { required?: boolean } }[] }
    const ids = body.flatMap(({ id }) => id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    expect(body.some((part) => part.validations?.required)).toBe(true)
  })

  test('ask in words, not in another kind of field', () => {
    expect(forms).toEqual(['bug.yml', 'idea.yml'])
    for (const wrong of [
      { name: 'A', description: ' ', body: [] },
      {
        name: 'A',
        description: 'B',
        body: [{ type: 'text', id: 'a', attributes: { label: 'C' } }],
      },
      { name: 'A', description: 'B', body: [{ type: 'input', attributes: { label: 'C' } }] },
    ])
      expect(problemsOf(wrong)).not.toEqual([])
  })

  test('are the only way to open an issue', () => {
    expect(Bun.YAML.parse(read(`${folder}/config.yml`))).toEqual({ blank_issues_enabled: false })
  })

  test('name only commands that exist, and pages that a server shows', () => {
    const text = forms.map((name) => read(`${folder}/${name}`)).join('\n')
    const commands = [...text.matchAll(/`switchboard (\w+)`/g)].map(([, name = '']) => name)
    expect([...new Set(commands)].toSorted()).toEqual(['demo', 'doctor', 'version'])
    const pages = [...text.matchAll(/`\/docs\/([\w-]+)`/g)].map(([, name = '']) => name)
    expect(pages).not.toEqual([])
    expect(pages.filter((name) => !existsSync(join(root, `src/docs/${name}.md`)))).toEqual([])
  })
})

test('reports of weaknesses get an answer within a time that is written down', () => {
  const [, days] = /^\| (\d+) working days \| an answer/m.exec(read('.github/SECURITY.md')) ?? []
  expect(Number(days)).toBeLessThanOrEqual(3)
})

test('editors write as the formatter does', () => {
  const editor = read('.editorconfig')
  const { tabWidth, printWidth } = JSON.parse(read('.oxfmtrc.json')) as Record<string, number>
  expect(editor).toMatch(new RegExp(`^indent_size = ${tabWidth}$`, 'm'))
  expect(editor).toMatch(new RegExp(`^max_line_length = ${printWidth}$`, 'm'))
})

describe('the version of Bun', () => {
  /** Patterns of files, and of the version in them, that Renovate looks at. */
  const { customManagers } = JSON.parse(read('.github/renovate.json')) as {
    customManagers: { managerFilePatterns: string[]; matchStrings: string[] }[]
  }
  const [manager] = customManagers
  const patterns = manager?.managerFilePatterns.map((text) => new RegExp(text.slice(1, -1))) ?? []
  const versions = manager?.matchStrings.map((text) => new RegExp(text, 'g')) ?? []
  const files = ['*', '.ci/*', '.github/**/*', '.devcontainer/*', 'src/docs/*.md']
    .flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: root, dot: true })])
    .filter((path) => path !== 'bun.lock')
  const namedIn = (path: string): string[] =>
    versions.flatMap((pattern) =>
      [...read(path).matchAll(pattern)].map(({ groups }) => groups?.['currentValue'] ?? ''),
    )

  test('is the same everywhere, and known to Renovate', () => {
    const naming = files.filter((path) => namedIn(path).length > 0)
    expect(naming).toEqual(
      expect.arrayContaining([
        ...['README.md', '.ci/run', '.devcontainer/devcontainer.json'],
        '.github/CONTRIBUTING.md',
      ]),
    )
    for (const path of naming) {
      expect({ path, isKnown: patterns.some((pattern) => pattern.test(path)) }).toEqual({
        path,
        isKnown: true,
      })
      expect({ path, named: [...new Set(namedIn(path))] }).toEqual({ path, named: [bunVersion] })
    }
    // The image takes it from there.
    expect(read('Dockerfile')).toContain(`devDependencies["bun-types"]`)
  })
})

test('the dev container has the browser and the proxy of the tests', () => {
  const container = JSON.parse(read('.devcontainer/devcontainer.json')) as Record<string, string>
  const [, packages = ''] =
    /--no-install-recommends ([\w -]+)/.exec(container['onCreateCommand'] ?? '') ?? []
  for (const name of ['chromium', 'chromium-headless-shell', 'haproxy']) {
    expect(packages.split(' ')).toContain(name)
    expect(read('.ci/run')).toContain(name)
  }
  expect(scripts).toHaveProperty((container['postCreateCommand'] ?? '').replace('bun run ', ''))
})
