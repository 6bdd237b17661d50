import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { en as early } from '../../../src/console/texts/en'
import { late } from '../../../src/console/texts/en-late'

const en: Record<string, string> = { ...early, ...late }

const ROOT = join(import.meta.dir, '../../..')
const document = JSON.parse(readFileSync(join(ROOT, 'tests/contract/openapi.json'), 'utf8')) as {
  components: { schemas: Record<string, { properties: Record<string, Field> }> }
}
interface Field {
  enum?: (string | null)[]
  anyOf?: Field[]
  items?: Field
  properties?: Record<string, Field>
}

/** The codes that a field of a schema may have. */
const codesOf = (schema: string, field: string): string[] => {
  const { enum: own = [], anyOf = [] } =
    document.components.schemas[schema]?.properties[field] ?? {}
  return [...own, ...anyOf.flatMap((one) => one.enum ?? [])].filter((one) => one !== null)
}

/** Returns what a pattern captures in files of the server. */
const inSource = (files: string, pattern: RegExp): string[] =>
  [...new Bun.Glob(files).scanSync(ROOT)].flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(pattern)].map(([, code = '']) => code),
  )

/** Kinds of things that the code of the server records changes of. */
const recorded = inSource('src/modules/**/*.ts', /resourceType:\s+'([a-z_]+)'/g)

describe('every code has a text', () => {
  test('of actions in the audit log', () => {
    const actions = codesOf('AuditEntry', 'action')
    expect(actions.length).toBeGreaterThan(70)
    expect(actions.filter((action) => !(`codes.action.${action}` in en))).toEqual([])
  })

  test('of the things that were changed', () => {
    expect(new Set(recorded).size).toBeGreaterThan(35)
    expect(recorded.filter((type) => !(`codes.resource.${type}` in en))).toEqual([])
  })

  test('of kinds of background work, and of what is found about a server', () => {
    const kinds = inSource('src/modules/**/jobs.ts', /\bjob\(\s*'([a-z-]+\.[a-z-]+)'/g)
    expect(kinds.length).toBeGreaterThan(100)
    expect(kinds.filter((kind) => !(`codes.job.${kind}` in en))).toEqual([])
    const found = codesOf('HealthFinding', 'code')
    expect(found.length).toBeGreaterThan(30)
    expect(found.filter((code) => !(`server.finding.${code}` in en))).toEqual([
      'jobs_failed', // the screen lists them
    ])
    const checks = inSource(
      'src/modules/operation/system/**/*.ts',
      /\b(?:ok|note|problem)\(\s*'([a-z]+)'/g,
    )
    expect(new Set(checks).size).toBeGreaterThan(15)
    expect(checks.filter((check) => !(`server.check.${check}` in en))).toEqual([])
  })

  test.each([
    ['Job', 'state', 'server.job-state.'],
    ['HealthSetting', 'source', 'server.source.'],
    ['HealthCell', 'state', 'server.cells.'],
    ['WebhookEndpoint', 'state', 'webhooks.state.'],
    ['WebhookEndpoint', 'disabled_reason', 'webhooks.disabled.'],
    ['WebhookDelivery', 'state', 'webhooks.delivery.'],
    ['WebhookReplay', 'state', 'webhooks.replay.'],
    ['WebhookAttempt', 'error_kind', 'webhooks.error.'],
    ['InboundEvent', 'state', 'incoming.state.'],
    ['OutboxItem', 'stage', 'queue.stage.'],
    ['OutboxItem', 'held_reason', 'queue.held.'],
    ['OutboxStats', 'held_reason', 'queue.held.'],
  ])('of %s, %s', (schema, field, start) => {
    // the status itself says what failed
    const codes = codesOf(schema, field).filter((code) => code !== 'status')
    expect(codes.length).toBeGreaterThan(2)
    expect(codes.filter((code) => !(`${start}${code}` in en))).toEqual([])
  })

  test('of why an organization is not imported or moved, and of what is in its way', () => {
    const files = 'src/modules/data/organization-import/**/*.ts'
    const codes = [
      ...inSource(files, /\bcode: '([a-z_]+)'/g),
      ...inSource(files, /'4\d\d ([a-z_]+)'/g),
      'internal_error',
    ].filter((code) => code !== 'invalid_input') // its field says what is wrong
    expect(new Set(codes).size).toBeGreaterThan(10)
    const isSaid = (code: string): boolean =>
      `parts.error.${code}` in en || `server.import-error.${code}` in en
    expect(codes.filter((code) => !isSaid(code))).toEqual([])
    const refusals = inSource(
      'src/modules/data/organization-move/start.ts',
      /(?:code: (?:[^,'}]*: )?|PASSED_ON = new Set\(\[)'([a-z_]+)'/g,
    ).filter((code) => code !== 'invalid_input')
    expect(refusals.length).toBeGreaterThan(9)
    expect(refusals.filter((code) => !(`server.move-error.${code}` in en))).toEqual([])
    const { conflicts } = document.components.schemas['OrganizationImport']?.properties ?? {}
    const { kind, reason } = conflicts?.items?.properties ?? {}
    expect(kind?.enum?.filter((one) => !(`server.conflict.${one}` in en))).toEqual([])
    expect(reason?.enum?.filter((one) => !(`server.conflict-is.${one}` in en))).toEqual([])
  })

  test('of events, of the fields of webhooks, and of why something had no effect', () => {
    const events = inSource(
      'src/modules/delivery/realtime/webhook-events.ts',
      /'([a-z_]+\.[a-z_]+)'/g,
    )
    const fields = inSource('src/modules/channel/accounts/webhook-fields.ts', /'([a-z_]+)'/g)
    const reasons = [
      ...inSource('src/modules/channel/inbound/**/*.ts', /\breason: '([a-z_]+)'/g),
      ...inSource('src/modules/channel/inbound/**/*.ts', /export const [A-Z_]+ = '([a-z_]+)'/g),
      ...inSource('src/platform/webhook/*.ts', /broken: '([a-z_]+)'/g),
    ]
    for (const [codes, start, least] of [
      [events, 'webhooks.event.', 38],
      [fields, 'incoming.field.', 20],
      [reasons, 'incoming.reason.', 8],
    ] as const) {
      expect(new Set(codes).size).toBeGreaterThan(least)
      expect(codes.filter((code) => !(`${start}${code}` in en))).toEqual([])
    }
  })
})
