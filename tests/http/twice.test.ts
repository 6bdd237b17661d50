import { afterAll, describe, expect, test } from 'bun:test'

import type { Answer } from '../support/client'
import { routesOf } from '../support/routes'
import { sceneOf, type Scene } from '../support/scenes'
import { World } from '../support/world'

// a report by email needs an installation that can send them
const world = await World.create({ env: { SMTP_URL: 'smtp://127.0.0.1:9', RATE_STANDARD: '0' } })
const routes = routesOf(world)
afterAll(() => world.stop())

/** What becomes of two equal requests that arrive at the same time. */
interface Twice {
  /**
   * The second one changes nothing more and gets the `same` answer, does it once more `over it`, or is
   * refused with a code. `again`: who asks twice gets two, and with an `Idempotency-Key` one.
   */
  second: string
  /** The rows that both add, by table, or with `again` each of them; fewer than 0 are deleted. */
  adds?: Record<string, number>
}

const VERBS: Record<string, Twice> = {
  'POST /api/jobs/:id/retry': { second: 'same', adds: { jobs: 1, messages: 1 } },
  'POST /api/jobs/:id/discard': { second: 'job_state' },
  'POST /api/jobs/retry': { second: 'same' },
  'POST /api/jobs/dismiss': { second: 'same' },
  'POST /api/admin/backups': { second: 'backup_running', adds: { jobs: 1 } },
  'POST /api/admin/backups/:id/verify': { second: 'backup_running', adds: { jobs: 1 } },
  'DELETE /api/admin/backups/:id': { second: 'not_found' },
  'POST /api/admin/organizations/import': { second: 'again', adds: { organization_imports: 1 } },
  'POST /api/admin/organizations/imports/:id/cancel': { second: 'wrong_state', adds: { jobs: 1 } },
  'POST /api/admin/organizations/imports/:id/commit': { second: 'wrong_state', adds: { jobs: 1 } },
  'POST /api/prices/import': { second: 'over it', adds: { prices: 2 } },
  'POST /api/custom-actions': { second: 'again', adds: { custom_actions: 1 } },
  'DELETE /api/custom-actions/:id': { second: 'not_found', adds: { custom_actions: -1 } },
  'POST /api/custom-actions/:id/execute': { second: 'again', adds: { custom_action_redirects: 1 } },
  'POST /api/custom-actions/:id/test': { second: 'same' },
  'POST /api/contacts/:id/erase': {
    second: 'not_found',
    adds: { jobs: 1, privacy_requests: 1, contact_identities: -2, suppressions: 2, works: 1 },
  },
  'POST /api/contacts/:id/privacy-export': {
    second: 'request_open',
    adds: { jobs: 1, privacy_requests: 1, works: 1 },
  },
  'PUT /api/chatbot/ai-questions/:id': { second: 'same' },
  'POST /api/views': { second: 'again', adds: { views: 1 } },
  'DELETE /api/views/:id': { second: 'not_found', adds: { views: -1 } },
  'PUT /api/analytics/board': { second: 'over it', adds: { boards: 1 } },
  'DELETE /api/analytics/board': { second: 'same', adds: { boards: -1 } },
  'POST /api/analytics/scheduled-reports': {
    second: 'again',
    adds: { scheduled_report_recipients: 1, scheduled_reports: 1 },
  },
  'DELETE /api/analytics/scheduled-reports/:id': {
    second: 'not_found',
    adds: { scheduled_report_recipients: -1, scheduled_reports: -1 },
  },
  'POST /api/analytics/scheduled-reports/:id/send': {
    second: 'same',
    adds: { jobs: 1, scheduled_report_mails: 1, scheduled_report_runs: 1 },
  },
  'POST /api/segments': { second: 'name_taken', adds: { segments: 1 } },
  'DELETE /api/segments/:id': { second: 'not_found', adds: { segments: -1 } },
  'DELETE /api/contacts/:id': { second: 'not_found', adds: { jobs: 1 } },
  'PUT /api/contacts/:id/tags': {
    second: 'same',
    adds: { contact_tags: 2, timeline_entries: 2, tags: 2 },
  },
  'POST /api/contacts/:id/merge': {
    second: 'not_found',
    adds: { jobs: 1, contact_merges: 1, conversations: -1 },
  },
  'POST /api/contacts/merges/:id/undo': {
    second: 'already_undone',
    adds: { jobs: 1, conversations: 1 },
  },
  'POST /api/api-keys': { second: 'again', adds: { api_key_permissions: 4, api_keys: 1 } },
  'POST /api/api-keys/:id/take-over': { second: 'same' },
  'DELETE /api/api-keys/:id': {
    second: 'not_found',
    adds: { api_key_permissions: -1, api_keys: -1 },
  },
  'POST /api/organizations/invitations': { second: 'over it', adds: { invitations: 2, jobs: 2 } },
  'DELETE /api/organizations/invitations/:id': { second: 'not_pending' },
  'POST /api/users': { second: 'email_taken', adds: { memberships: 1, users: 1 } },
  'POST /api/users/:id/password-reset': {
    second: 'over it',
    adds: { jobs: 2, password_resets: 1 },
  },
  'PUT /api/organizations/members/:member_id': { second: 'same' },
  'POST /api/messages/:id/cancel': { second: 'already_sent' },
  'POST /api/messages/:id/resend': { second: 'already_resent', adds: { jobs: 1, messages: 1 } },
  'POST /api/outbox/cancel': { second: 'over it' },
  'POST /api/scheduled-messages': { second: 'again', adds: { jobs: 1, scheduled_messages: 1 } },
  'POST /api/scheduled-messages/:id/send-now': {
    second: 'not_scheduled',
    adds: { jobs: 1, messages: 1 },
  },
  'DELETE /api/scheduled-messages/:id': { second: 'not_scheduled' },
  'POST /api/imports/:id/check': { second: 'wrong_state', adds: { jobs: 1, works: 1 } },
  'POST /api/imports/:id/commit': { second: 'wrong_state', adds: { jobs: 1 } },
  'POST /api/imports/:id/cancel': { second: 'wrong_state' },
  'POST /api/imports/:id/undo': { second: 'wrong_state', adds: { jobs: 1 } },
  'DELETE /api/users/:id': {
    second: 'not_found',
    adds: { token_cutoffs: 1, member_removals: 1, memberships: -1 },
  },
  'POST /api/admin/organizations/:id/move': {
    second: 'move_running',
    adds: { jobs: 1, organization_moves: 1 },
  },
  'DELETE /api/admin/organizations/:id/move': { second: 'too_late' },
}

/** Tables that follow others, and those in which every request leaves a row. */
const FOLLOWS =
  /^(?:audit_logs|events|idempotency_keys|sqlite_.*|.*_(?:search_\w+|words|terms|rollups|counts))$/

function rowCounts(): Map<string, number> {
  const { sqlite } = world.program.http.db
  const tables = sqlite
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'",
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !FOLLOWS.test(name))
  const all = tables.map((name) => `(select count(*) from "${name}")`).join(', ')
  const [counts = []] = sqlite.query(`select ${all}`).values() as number[][]
  return new Map(tables.map((name, nth) => [name, counts[nth] ?? 0]))
}

async function sceneFor(label: string): Promise<Scene> {
  const route = routes.find((one) => one.label === label)
  if (!route) throw new Error('there is no such route')
  const scene = await sceneOf(route, world)
  world.clock.advance({ seconds: 1 })
  return scene
}

/** Sends a request twice at once. Returns the answers, successes first, and the added rows. */
async function sentTwice(label: string, headers: Record<string, string> = {}) {
  const { client, path, body } = await sceneFor(label)
  const before = rowCounts()
  const method = label.split(' ')[0] ?? ''
  const send = (): Promise<Answer> => client.with(headers).request(method, path, body)
  const answers = await Promise.all([send(), send()])
  answers.sort((one, other) => one.status - other.status)
  const changed = [...rowCounts()].map(
    ([name, count]) => [name, count - (before.get(name) ?? 0)] as const,
  )
  return { answers, added: Object.fromEntries(changed.filter(([, count]) => count !== 0)) }
}

describe('the same request twice at once', () => {
  test.each(Object.entries(VERBS))('%s', async (label, { second, adds = {} }) => {
    const { answers, added } = await sentTwice(label)
    const [first, other] = answers
    expect([200, 201, 202]).toContain(first.status)
    if (['same', 'over it', 'again'].includes(second)) expect(other.status).toBe(first.status)
    else expect([Math.floor(other.status / 100), other.body.code]).toEqual([4, second])
    if (second === 'same') expect(other.data).toEqual(first.data)
    const times = second === 'again' ? 2 : 1
    const each = Object.entries(adds).map(([name, count]) => [name, count * times])
    expect(added).toEqual(Object.fromEntries(each))
    if (label.includes('backups')) await world.settle()
  })
})

describe('with one Idempotency-Key', () => {
  const repeated = Object.keys(VERBS).filter((label) => {
    const [method, path = ''] = label.split(' ')
    const isKeyed = method === 'POST' && world.program.http.creatingRoutes.has(path)
    return isKeyed && VERBS[label]?.second === 'again'
  })
  test.each(repeated)('%s', async (label) => {
    const { answers, added } = await sentTwice(label, { 'idempotency-key': 'twice' })
    const [first, other] = answers
    expect(first.status).toBe(201)
    if (other.status === 201) expect(other.data).toEqual(first.data)
    else expect(other.body.code).toBe('idempotency_in_progress')
    expect(added).toEqual(VERBS[label]?.adds ?? {})
  })
})
