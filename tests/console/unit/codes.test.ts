import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { en } from '../../../src/console/texts/en'

const ROOT = join(import.meta.dir, '../../..')
const document = JSON.parse(readFileSync(join(ROOT, 'tests/contract/openapi.json'), 'utf8')) as {
  components: { schemas: Record<string, { properties: Record<string, { enum?: string[] }> }> }
}

/** Kinds of things that the code of the server records changes of. */
const recorded = [...new Bun.Glob('src/modules/**/*.ts').scanSync(ROOT)].flatMap((path) =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(/resourceType:\s+'([a-z_]+)'/g)].map(
    ([, type = '']) => type,
  ),
)

describe('every code has a text', () => {
  test('of actions in the audit log', () => {
    const actions = document.components.schemas['AuditEntry']?.properties['action']?.enum ?? []
    expect(actions.length).toBeGreaterThan(70)
    expect(actions.filter((action) => !(`codes.action.${action}` in en))).toEqual([])
  })

  test('of the things that were changed', () => {
    expect(new Set(recorded).size).toBeGreaterThan(35)
    expect(recorded.filter((type) => !(`codes.resource.${type}` in en))).toEqual([])
  })
})
