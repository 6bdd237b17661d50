import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { requireFrozen } from '../../src/release/frozen'
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
