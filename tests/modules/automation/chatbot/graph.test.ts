import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { systemCtx, type Ctx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import {
  nextAfter,
  nodeOf,
  outcomesOf,
  waits,
  type Graph,
  type GraphNode,
} from '../../../../src/modules/automation/chatbot/bot-flows/graph'
import { NODE_TYPES } from '../../../../src/modules/automation/chatbot/bot-flows/node-config'
import { DEFAULT_SETTINGS } from '../../../../src/modules/automation/chatbot/bot-flows/settings'
import {
  completionHeaders,
  headersOfNode,
  listTriggers,
  publishedVersion,
  versionOf,
} from '../../../../src/modules/automation/chatbot/bot-flows/queries'
import {
  sealCompletionHeaders,
  sealNodeHeaders,
} from '../../../../src/modules/automation/chatbot/bot-flows/secrets'
import {
  botFlowReferences,
  botFlows,
  botFlowVersions,
} from '../../../../src/modules/automation/chatbot/bot-flows/table'
import { World } from '../../../support/world'

const node = (id: string, type: string, config: object = {}): GraphNode =>
  ({ id, type, label: null, position: null, config }) as GraphNode
const two = [
  { id: 'yes', title: 'Yes' },
  { id: 'no', title: 'No' },
]

describe('the outcomes of a node', () => {
  test.each([
    [node('a', 'start'), ['default'], false],
    [node('a', 'message'), ['error', 'default'], false],
    [
      node('a', 'buttons', { buttons: two }),
      ['button:yes', 'button:no', 'max_retries', 'error', 'default'],
      true,
    ],
    [
      node('a', 'interactive', { interactive: { type: 'list', sections: [{ rows: two }] } }),
      ['button:yes', 'button:no', 'error', 'default'],
      true,
    ],
    [node('a', 'interactive', { interactive: { type: 'cta_url' } }), ['error', 'default'], false],
    [node('a', 'prompt'), ['max_retries', 'error', 'default'], true],
    [node('a', 'api_call'), ['http:2xx', 'http:non2xx', 'default'], false],
    [node('a', 'condition'), ['true', 'false', 'default'], false],
    [node('a', 'goto_flow'), ['error'], false],
    [node('a', 'transfer'), [], false],
    [node('a', 'end'), [], false],
  ])('%p', (given, outcomes, isWaiting) => {
    expect([outcomesOf(given), waits(given)]).toEqual([outcomes, isWaiting])
  })

  test('every type of the documentation is known', () => {
    expect(NODE_TYPES).toHaveLength(21)
  })
})

describe('the node after an outcome', () => {
  const graph: Graph = {
    version: 2,
    entry_node: 'ask',
    nodes: [node('ask', 'buttons', { buttons: two }), node('a', 'end'), node('b', 'end')],
    edges: [
      { from: 'ask', to: 'a', condition: 'button:yes' },
      { from: 'ask', to: 'b', condition: 'default' },
    ],
  }
  const ask = nodeOf(graph, 'ask') as GraphNode

  test('is that of the outcome, else that of default, else the session ends', () => {
    expect(nextAfter(graph, ask, 'button:yes')).toMatchObject({ id: 'a' })
    expect(nextAfter(graph, ask, 'button:no')).toMatchObject({ id: 'b' })
    expect(nextAfter(graph, node('a', 'end'), 'default')).toBe('completed')
  })

  test('a message that was not sent fails the session where no edge follows the error', () => {
    expect(nextAfter(graph, ask, 'error')).toBe('failed')
    expect(nextAfter(graph, node('ask', 'ai_response'), 'error')).toMatchObject({ id: 'b' })
  })
})

describe('stored versions', () => {
  let world: World
  let ctx: Ctx
  const id = '01900000-0000-7000-8000-00000000aaaa'
  const graph = { version: 2, entry_node: 'a', nodes: [], edges: [] }

  beforeAll(async () => {
    world = await World.create()
    world.stays('rows that no server writes')
    ctx = systemCtx(world.program.http, world.tenant.id)
    const { organizationId } = ctx
    transact(ctx.db, (tx) => {
      tx.insert(botFlows)
        .values({
          organizationId,
          id,
          name: 'Menu',
          nameKey: 'menu',
          words: 'menu',
          isEnabled: true,
          triggerKeywords: ['menu'],
          triggerMatchType: 'contains',
          priority: 10,
          settings: DEFAULT_SETTINGS,
          completionHeadersSealed: sealCompletionHeaders(ctx, id, { 'X-Key': 'done' }),
          version: 1,
          hasDraft: false,
          createdAtMs: 1,
          updatedAtMs: 1,
        })
        .run()
      tx.insert(botFlowVersions)
        .values({
          organizationId,
          flowId: id,
          version: 1,
          publishedAtMs: 1,
          graph: JSON.stringify(graph),
          headersSealed: sealNodeHeaders(ctx, id, { call: { 'X-Key': 'secret' } }),
        })
        .run()
      tx.insert(botFlowReferences)
        .values({ organizationId, flowId: id, version: 1, kind: 'bot_flow', targetId: id })
        .run()
    })
  })

  afterAll(() => world.stop())

  test('are read by sessions, with their headers', () => {
    expect(publishedVersion(ctx, id)).toMatchObject({ flowId: id, version: 1, graph })
    expect(versionOf(ctx, id, 2)).toBeNull()
    expect(headersOfNode(ctx, { flowId: id, version: 1 }, 'call')).toEqual({ 'X-Key': 'secret' })
    expect(headersOfNode(ctx, { flowId: id, version: 1 }, 'other')).toEqual({})
    expect(completionHeaders(ctx, id)).toEqual({ 'X-Key': 'done' })
    expect(listTriggers(ctx)).toMatchObject([{ flowId: id, keywords: ['menu'] }])
  })

  test('belong to one organization', () => {
    const other = systemCtx(world.program.http, world.other.id)
    expect(publishedVersion(other, id)).toBeNull()
    expect(listTriggers(other)).toEqual([])
  })
})
