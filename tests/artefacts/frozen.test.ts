import { afterAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { requireFrozen } from '../../src/release/frozen'
import { VERSION } from '../../src/version'
import { changedSinceTags, whyReleased } from '../releases/released'
import { releaseFolders } from '../support/release'

const folder = mkdtempSync(join(tmpdir(), 'frozen-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a version is released with a frozen format, and with the migrations that were frozen', () => {
  const NOT_FROZEN = 'run `bun run release:freeze`'
  expect(() => requireFrozen(folder, '9.9.9')).toThrow(NOT_FROZEN)
  cpSync(releaseFolders().at(-1) ?? '', join(folder, '9.9.9'), { recursive: true })
  requireFrozen(folder, '9.9.9')
  const facts = join(folder, '9.9.9', 'release.json')
  const release = JSON.parse(readFileSync(facts, 'utf8')) as { migrations: object }
  for (const migrations of [{}, { ...release.migrations, '0999_more': '' }]) {
    writeFileSync(facts, JSON.stringify({ ...release, migrations }))
    expect(() => requireFrozen(folder, '9.9.9')).toThrow(NOT_FROZEN)
  }
})

describe('a released version is not frozen again', () => {
  const ROOT = join(import.meta.dir, '../..')
  const FROZEN = `tests/releases/${VERSION}/release.json`

  /** A checkout with what `release:freeze` asks, and with a frozen release. */
  function checkout(heading: string, isRepository: boolean): string {
    const root = mkdtempSync(join(folder, 'checkout-'))
    const needed = ['package.json', 'src/version.ts', 'src/release/changelog.ts']
    for (const path of [...needed, 'tests/releases/main.ts', 'tests/releases/released.ts'])
      cpSync(join(ROOT, path), join(root, path), { recursive: true })
    mkdirSync(dirname(join(root, FROZEN)))
    writeFileSync(join(root, FROZEN), '{}')
    writeFileSync(join(root, 'src/CHANGELOG.md'), `# Changelog\n\n${heading}\n\n- x\n`)
    if (isRepository) {
      git(root, 'init', '--quiet')
      git(root, 'add', '--all')
      const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
      git(root, ...author, 'commit', '--quiet', '--no-gpg-sign', '--message', 'x')
    }
    return root
  }

  function git(root: string, ...args: string[]): void {
    const { exitCode, stderr } = Bun.spawnSync(['git', ...args], { cwd: root })
    if (exitCode !== 0) throw new Error(stderr.toString())
  }

  function freezeIn(root: string): { exitCode: number; said: string } {
    const command = [process.execPath, join(root, 'tests/releases/main.ts')]
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: root })
    return { exitCode, said: stderr.toString() }
  }

  const DATED = `## [${VERSION}] - 2026-12-01`

  test.each([
    ['in a clone without tags', true],
    ['in a copy without git', false],
  ])('because the changelog has its date, %s', (_, isRepository) => {
    const root = checkout(DATED, isRepository)
    const { exitCode, said } = freezeIn(root)
    expect(said).toContain(`${VERSION} is released (src/CHANGELOG.md has its date)`)
    expect(exitCode).toBe(1)
    expect(readFileSync(join(root, FROZEN), 'utf8')).toBe('{}')
  })

  test('because it has a tag, whatever the changelog says', () => {
    const root = checkout('## [Unreleased]', true)
    expect(whyReleased(root, VERSION)).toBeNull()
    git(root, 'tag', `v${VERSION}`)
    const { exitCode, said } = freezeIn(root)
    expect(said).toContain(`${VERSION} is released (it has the tag v${VERSION})`)
    expect(exitCode).toBe(1)
  })

  test('and no file of it may differ from its tag', () => {
    const root = checkout(DATED, true)
    writeFileSync(join(root, FROZEN), '{"migrations":{}}')
    expect(changedSinceTags(root)).toEqual([])
    git(root, 'tag', `v${VERSION}`)
    expect(changedSinceTags(root)).toEqual([FROZEN])
    writeFileSync(join(root, FROZEN), '{}')
    expect(changedSinceTags(root)).toEqual([])
    rmSync(join(root, FROZEN))
    mkdirSync(dirname(join(root, FROZEN)), { recursive: true })
    expect(changedSinceTags(root)).toEqual([FROZEN])
  })
})
