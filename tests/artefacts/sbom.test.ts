import { Validation, Spec } from '@cyclonedx/cyclonedx-library'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import manifest from '../../package.json'
import { billOfMaterials, folderOf, productionPackages, type Lock } from '../../src/release/sbom'
import { listOfPackages } from '../../src/release/files'

interface List {
  serialNumber: string
  metadata: { timestamp?: string; component: { version: string } }
  components: {
    'bom-ref': string
    purl: string
    licenses?: unknown[]
    hashes?: { content: string }[]
  }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

const LOCK = Bun.JSONC.parse(readFileSync(join(import.meta.dir, '../../bun.lock'), 'utf8')) as Lock

/** What the published validator finds wrong with a list; `null` if nothing is. */
const problemsOf = (list: unknown): Promise<unknown> =>
  new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(JSON.stringify(list))

const integrityOf = (byte: number): string => `sha512-${Buffer.alloc(64, byte).toString('base64')}`

/** Two packages, of which one has a copy of the other of its own, and needs one that is not there. */
const SMALL: Lock = {
  workspaces: { '': { dependencies: { '@s/a': '1.0.0', b: '2.0.0' } } },
  packages: {
    '@s/a': [
      '@s/a@1.0.0',
      '',
      {
        dependencies: { b: '^1.0.0' },
        optionalDependencies: { elsewhere: '*' },
        peerDependencies: { c: '*', types: '*' },
        optionalPeers: ['types'],
      },
      integrityOf(1),
    ],
    '@s/a/b': ['b@1.5.0', '', { dependencies: { c: '*' } }, integrityOf(2)],
    b: ['b@2.0.0', '', {}, integrityOf(3)],
    c: ['c@3.0.0', '', { dependencies: { b: '*' } }, integrityOf(4)],
    dev: ['dev@9.0.0', '', {}, integrityOf(5)],
    types: ['types@9.0.0', '', {}, integrityOf(6)],
  },
}
const SUBJECT = {
  name: 'x',
  version: '1.2.3',
  license: 'MIT',
  commit: { hash: 'a'.repeat(40), committedAt: '2026-11-30T12:06:15.000Z' },
  bun: '1.4.5',
}

test('the list of the packages in the executable is what the format asks for', async () => {
  const list = listOfPackages() as List
  expect(await problemsOf(list)).toBeNull()
  expect(await problemsOf({ ...list, components: [{ name: 'no type' }] })).not.toBeNull()

  const names = list.components.map(({ purl }) => decodeURIComponent(purl))
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(names).toContain(`pkg:npm/${name}@${version}`)
  expect(names).toContain(`pkg:npm/bun@${Bun.version}`)
  for (const name of Object.keys(manifest.devDependencies).filter((one) => !one.startsWith('ajv')))
    expect(names.filter((purl) => purl.startsWith(`pkg:npm/${name}@`))).toEqual([])
  expect(list.components.filter(({ licenses }) => licenses === undefined)).toEqual([])
  const refs = list.components.map((one) => one['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  expect(
    list.dependencies
      .flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn])
      .filter((ref) => ref !== 'switchboard' && !refs.includes(ref)),
  ).toEqual([])
})

test('a package has its own copy of another, or the one further up', async () => {
  const licenses: Record<string, string> = { '@s/a': 'MIT OR ISC', '@s/a/b': 'BSD', b: 'ISC' }
  const list = billOfMaterials(SMALL, SUBJECT, (path) => licenses[path] ?? null) as List
  expect(await problemsOf(list)).toBeNull()
  expect(list.metadata.timestamp).toBe('2026-11-30T12:06:15.000Z')
  expect(
    Object.fromEntries(list.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn])),
  ).toEqual({
    switchboard: ['pkg:npm/bun@1.4.5', 'pkg:npm/%40s/a@1.0.0', 'pkg:npm/b@2.0.0'],
    'pkg:npm/bun@1.4.5': undefined,
    'pkg:npm/%40s/a@1.0.0': ['pkg:npm/b@1.5.0', 'pkg:npm/c@3.0.0'],
    'pkg:npm/b@1.5.0': ['pkg:npm/c@3.0.0'],
    'pkg:npm/b@2.0.0': [],
    'pkg:npm/c@3.0.0': ['pkg:npm/b@2.0.0'],
  })
  const facts = list.components.map(({ purl, licenses: own, hashes }) => [
    purl,
    own?.[0],
    hashes?.[0]?.content.slice(0, 4),
  ])
  expect(facts).toEqual([
    ['pkg:npm/bun@1.4.5', { license: { id: 'MIT' } }, undefined],
    ['pkg:npm/%40s/a@1.0.0', { expression: 'MIT OR ISC' }, '0101'],
    ['pkg:npm/b@1.5.0', { license: { name: 'BSD' } }, '0202'],
    ['pkg:npm/b@2.0.0', { license: { id: 'ISC' } }, '0303'],
    ['pkg:npm/c@3.0.0', undefined, '0404'],
  ])
  expect(billOfMaterials(SMALL, SUBJECT, (path) => licenses[path] ?? null)).toEqual(list)
})

test('a lock file that lacks something is refused, not shortened', () => {
  const { c, ...without } = SMALL.packages
  expect(() => productionPackages({ ...SMALL, packages: without })).toThrow(
    'no package c, which @s/a needs',
  )
  expect(c).toBeDefined()
  const unhashed: Lock = { ...SMALL, packages: { ...SMALL.packages, b: ['b@2.0.0', '', {}, ''] } }
  expect(() => billOfMaterials(unhashed, SUBJECT, () => null)).toThrow('no SHA-512 of b')
})

test('the folder of a package follows from its path in the lock file', () => {
  expect(['a', '@s/a', '@s/a/b', 'a/@s/b'].map(folderOf)).toEqual([
    'node_modules/a',
    'node_modules/@s/a',
    'node_modules/@s/a/node_modules/b',
    'node_modules/a/node_modules/@s/b',
  ])
  expect([...productionPackages(LOCK)].length).toBeGreaterThan(100)
})
