import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import {
  createIdempotency,
  type Attempt,
  type Idempotency,
} from '../../src/infra/idempotency/store'
import type { Client, Loose } from '../support/client'
import { ask } from '../support/files'
import { routesOf, type Route } from '../support/routes'
import { isPlainRead, sceneOf } from '../support/scenes'
import { World } from '../support/world'

/**
 * They speak another language than JSON in the envelope, and tests of their own send what is
 * documented of them.
 */
const OTHERS = new Set([
  'GET /api/analytics/unsubscribe/:token',
  'GET /api/custom-actions/redirect/:token',
  'GET /api/webhook',
  'POST /api/webhook',
  'POST /api/cells/deliveries',
  'POST /api/cells/flow-exchanges',
  'POST /api/cells/moves',
  'POST /api/analytics/unsubscribe/:token',
  'POST /api/flows/endpoint/:account_id',
  'GET /ws',
  'WS /ws',
  'POST /api/media',
  'GET /api/media/:id',
  'GET /api/media/signed/:token',
])

const world = await World.create({ isConnected: false })
/** Where routes are asked that change nothing and need nothing. */
const plain = await World.create()
/** Pages are in no document. */
const all = routesOf(world).filter(
  ({ path }) =>
    !/^\/(?:$|\*$|assets|home\.css$|docs|link-pages|(?:push-worker\.js|robots\.txt|favicon\.ico)$|join$|reset-password$)/.test(
      path,
    ),
)
const routes = all.filter(({ label }) => !OTHERS.has(label))
const isCreating = ({ method, path }: Route): boolean =>
  method === 'POST' && world.program.http.creatingRoutes.has(path)
const creating = routes.filter(isCreating)
const document = (await world.anyone.get('/openapi.json')).body as Loose

afterAll(async () => {
  await plain.stop()
  await world.stop()
})

/** The success statuses that the document gives a route. */
function documented(route: Route): number[] {
  const operation = (document['paths'] as Loose)[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[
    route.method.toLowerCase()
  ] as Loose
  return Object.keys(operation['responses'] as Loose)
    .map(Number)
    .filter((status) => status < 300 && status !== 206) // a range is asked for by a header
}

const OF_MESSAGES = 'messages, and what is read, are not written down'
const CHANGES_NOTHING = 'asks, or does something that leaves no trace'
const OF_A_DRAFT = 'recipients are put together before the start, which is written down'
const NOTHING_TO_CHANGE = 'in its scene everything is as it should become'

/** Requests that leave no entry in the audit log, each with its reason. */
const UNRECORDED: Record<string, string> = {
  'DELETE /api/analytics/board': 'a board changes only what its owner sees',
  'PUT /api/analytics/board': 'a board changes only what its owner sees',
  'DELETE /api/views/:id': 'a private view changes only what its owner sees',
  'DELETE /api/push/subscriptions': 'a subscription concerns only its owner',
  'POST /api/push/subscriptions': 'a subscription concerns only its owner',
  'POST /api/views': 'a private view changes only what its owner sees',
  'PUT /api/views/:id': 'a private view changes only what its owner sees',
  'DELETE /api/campaigns/:id/recipients': OF_A_DRAFT,
  'DELETE /api/campaigns/:id/recipients/:recipient_id': OF_A_DRAFT,
  'DELETE /api/contacts/:id/block': NOTHING_TO_CHANGE,
  'DELETE /api/media/:id': 'one’s own file that is not sent yet is a draft',
  'POST /api/api-keys/:id/take-over': NOTHING_TO_CHANGE,
  'POST /api/auth/invitations/preview': CHANGES_NOTHING,
  'POST /api/auth/logout-all': NOTHING_TO_CHANGE,
  'POST /api/auth/password/forgot': 'nobody has proven who asks',
  'POST /api/auth/refresh': 'the sign-in goes on',
  'POST /api/auth/ws-ticket': 'the sign-in goes on',
  'POST /api/accounts/:id/request-code': 'the verification with the code is written down',
  'POST /api/accounts/:id/test': CHANGES_NOTHING,
  'POST /api/campaigns/:id/dry-run': CHANGES_NOTHING,
  'POST /api/campaigns/:id/recipients/import': OF_A_DRAFT,
  'POST /api/canned-responses/:id/render': CHANGES_NOTHING,
  'POST /api/canned-responses/:id/use': 'counts a use',
  'POST /api/chatbot/ai-contexts/:id/test': CHANGES_NOTHING,
  'POST /api/chatbot/ai/test': 'is in the usage of the AI',
  'POST /api/chatbot/flows/validate': CHANGES_NOTHING,
  'POST /api/contacts/:id/call-permission': OF_MESSAGES,
  'POST /api/contacts/:id/mark-read': OF_MESSAGES,
  'POST /api/contacts/:id/messages': OF_MESSAGES,
  'POST /api/contacts/:id/messages/:message_id/reaction': OF_MESSAGES,
  'POST /api/conversations': NOTHING_TO_CHANGE,
  'POST /api/conversations/:id/messages': OF_MESSAGES,
  'POST /api/conversations/:id/read': OF_MESSAGES,
  'POST /api/conversations/:id/release': NOTHING_TO_CHANGE,
  'POST /api/conversations/:id/typing': OF_MESSAGES,
  'POST /api/conversations/:id/unread': OF_MESSAGES,
  'POST /api/chatbot/keywords/test': CHANGES_NOTHING,
  'POST /api/chatbot/preview': CHANGES_NOTHING,
  'POST /api/flows/:id/validate': CHANGES_NOTHING,
  'POST /api/import': 'a trial changes nothing; what is imported is written down at its end',
  'POST /api/import/:table/preview': CHANGES_NOTHING,
  'POST /api/imports/:id/check': CHANGES_NOTHING,
  'PUT /api/chatbot/ai-questions/:id': 'a mark in a list of work; new knowledge is written down',
  'PUT /api/imports/:id': 'a draft changes nothing; what is imported is written down at its end',
  'POST /api/contacts/search': CHANGES_NOTHING,
  'POST /api/inbound/replay': NOTHING_TO_CHANGE,
  'POST /api/webhooks/:id/test': 'a test changes nothing but the history of the endpoint',
  'POST /api/jobs/retry': NOTHING_TO_CHANGE,
  'POST /api/jobs/dismiss': NOTHING_TO_CHANGE,
  'POST /api/media/:id/link': CHANGES_NOTHING,
  'POST /api/me/notifications/read': OF_MESSAGES,
  'POST /api/messages': OF_MESSAGES,
  'POST /api/messages/media': OF_MESSAGES,
  'POST /api/messages/preview': CHANGES_NOTHING,
  'POST /api/messages/:id/cancel': OF_MESSAGES,
  'POST /api/messages/:id/resend': OF_MESSAGES,
  'POST /api/outbox/resume': NOTHING_TO_CHANGE,
  'POST /api/retention/preview': CHANGES_NOTHING,
  'POST /api/segments/preview': CHANGES_NOTHING,
  'POST /api/templates/:id/preview': CHANGES_NOTHING,
  'POST /api/webhooks/:id/replay/preview': CHANGES_NOTHING,
  'POST /api/templates/validate': CHANGES_NOTHING,
  'POST /api/templates/upload-media':
    'a sample is kept for a template, whose changes are written down',
  'POST /api/users/:id/2fa/reset': NOTHING_TO_CHANGE,
  'PUT /api/me/availability': NOTHING_TO_CHANGE,
  'PUT /api/messages/:id/read': OF_MESSAGES,
  'PUT /api/users/:id/availability': NOTHING_TO_CHANGE,
}

/** What is read and written down all the same: a secret was told, or a file of everything. */
const READ_AND_RECORDED = [
  'GET /api/admin/backups/:id/download',
  'GET /api/conversations/:id/transcript',
  'GET /api/organizations/:id/archives/:archive_id/download',
]

/** How many entries of the audit log each request left. */
const entries = new Map<string, number>()

async function recorded<T>(stage: World, route: Route, request: () => Promise<T>): Promise<T> {
  const count = (): number =>
    stage.rows<{ n: number }>('select count(*) as n from audit_logs')[0]?.n ?? 0
  const before = count()
  const answer = await request()
  await stage.settle() // some of it is written when the work is done
  entries.set(route.label, count() - before)
  return answer
}

describe('the documented example of each request, sent to the server, gets the documented success', () => {
  // Those that take a key are sent below.
  for (const route of routes.filter((one) => !isCreating(one)))
    test(route.label, async () => {
      const isPlain = isPlainRead(route)
      const { world: stage, client, path, body } = await sceneOf(route, isPlain ? plain : undefined)
      await using _ = isPlain ? null : stage
      const answer = await recorded(stage, route, () => ask(client, route, path, body))
      expect({ status: answer.status, body: answer.status < 300 ? null : answer.body }).toEqual({
        status: documented(route).at(-1) ?? 200, // of what a scene has not made yet 201
        body: null,
      })
    })
})

/**
 * A server that dies between the commit and the answer: what the answer would have changed
 * afterwards happens when `revive` is called.
 */
function dying(idempotency: Idempotency): { idempotency: Idempotency; revive: () => void } {
  const late: (() => void)[] = []
  const begin: Idempotency['begin'] = (request) => {
    const turn = idempotency.begin(request)
    if (!('db' in turn)) return turn
    const answered: Attempt['answered'] = (...args) => void late.push(() => turn.answered(...args))
    return { ...turn, answered }
  }
  return { idempotency: { begin }, revive: () => late.forEach((change) => change()) }
}

/**
 * Tokens are signed after the commit, with the role as it is then. After a crash in between the
 * repetition is told that it took effect, and the person signs in. The handle of a sample is the
 * platform's answer, asked for after the file was kept.
 */
const ANSWER_COMES_LATER = ['POST /api/auth/register', 'POST /api/templates/upload-media']

describe('the documented example of a creating request, sent with a key', () => {
  beforeAll(() => expect(creating.length).toBeGreaterThan(8))

  const keyed = (client: Client): Client => client.with({ 'idempotency-key': 'the-same-key' })

  for (const route of creating)
    test(`${route.label} is replayed as it was answered, also after a crash following the commit`, async () => {
      const { world: stage, client, path, body } = await sceneOf(route)
      await using _ = stage
      const { http } = stage.program
      const crash = dying(http.idempotency)
      http.idempotency = crash.idempotency
      const first = await recorded(stage, route, () => ask(keyed(client), route, path, body))
      http.idempotency = createIdempotency(http)
      const crashed = await ask(keyed(client), route, path, body)
      const isLost = crashed.body.code === 'idempotency_interrupted'
      expect({ first: first.status, isLost }).toEqual({
        first: 201,
        isLost: ANSWER_COMES_LATER.includes(route.label),
      })
      crash.revive()
      const again = await ask(keyed(client), route, path, body)
      for (const answer of isLost ? [again] : [crashed, again])
        expect([answer.status, answer.headers.get('idempotent-replay'), answer.body]).toEqual([
          201,
          'true',
          first.body,
        ])
    })

  test('has the header in its documentation, and no other operation has', () => {
    const named = Object.entries(document['paths'] as Loose).flatMap(([path, item]) =>
      Object.entries(item as Loose)
        .filter(([, operation]) =>
          JSON.stringify((operation as Loose)['parameters'] ?? []).includes('IdempotencyKey'),
        )
        .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    )
    expect(named.toSorted()).toEqual(
      all
        .filter(isCreating)
        .map(({ label }) => label)
        .toSorted(),
    )
  })
})

test('whatever a person changes is in the audit log, or there is a reason; reading is not', () => {
  const isRead = (label: string): boolean => label.startsWith('GET ')
  expect(
    [...entries]
      .filter(([label, count]) => !isRead(label) && count === 0)
      .map(([label]) => label)
      .toSorted(),
  ).toEqual(Object.keys(UNRECORDED).toSorted())
  expect(
    [...entries]
      .filter(([label, count]) => isRead(label) && count > 0)
      .map(([label]) => label)
      .toSorted(),
  ).toEqual(READ_AND_RECORDED)
})
