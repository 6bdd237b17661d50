import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { readFlow, writeFlow } from '../../../../src/console/pages/flow/model/file'
import { COMPARISONS, writeSimple } from '../../../../src/console/pages/flow/model/expression'
import { readGraph, writeGraph, type Graph } from '../../../../src/console/pages/flow/model/graph'
import { newNode, PALETTE } from '../../../../src/console/pages/flow/model/kinds'
import { readProblem } from '../../../../src/console/pages/flow/model/problems'
import type { Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

const WORDS = { yes: 'Yes', no: 'No', first: 'First', choose: 'Choose', open: 'Open' }

describe('what the editor of the console writes', () => {
  let world: World
  let admin: Client

  beforeAll(async () => {
    world = await World.create()
    admin = await world.as('admin')
  })

  afterAll(() => world.stop())

  const errorsOf = async (graph: Graph): Promise<{ path: string; message: string }[]> =>
    (await admin.post('/api/chatbot/flows/validate', { graph: writeGraph(graph) })).data['errors']

  test('are comparisons that the server reads', async () => {
    const nodes = COMPARISONS.map((comparison, index) => ({
      ...{ id: `n${index}`, type: 'condition' as const, label: null, position: null },
      config: {
        expression: writeSimple({ variable: 'contact.attributes.city', comparison, value: '5' }),
      },
    }))
    const edges = nodes
      .slice(1)
      .map(({ id }, index) => ({ from: `n${index}`, to: id, condition: 'true' }))
    expect(await errorsOf({ entry: 'n0', nodes, edges })).toEqual([])
  })

  test('decides as it says', async () => {
    const decide = async (expression: string, total: string): Promise<string> => {
      const graph = {
        version: 2,
        entry_node: 'ask',
        nodes: [
          { id: 'ask', type: 'condition', config: { expression } },
          { id: 'yes', type: 'end', config: { message: 'yes' } },
          { id: 'no', type: 'end', config: { message: 'no' } },
        ],
        edges: [
          { from: 'ask', to: 'yes', condition: 'true' },
          { from: 'ask', to: 'no' },
        ],
      }
      const body = { graph, message: 'go', variables: { total } }
      const { data } = await admin.post('/api/chatbot/preview', body)
      const [reply] = data['replies'] as { message: { text?: string } }[]
      return reply?.message.text ?? ''
    }
    const expected = {
      equals: ['Fifty', 'fifty one'],
      differs: ['other', 'FIFTY'],
      more: ['51', '50'],
      less: ['49,5', '50'],
      contains: ['about Fifty', 'about'],
      begins: ['FIFTY and more', 'or fifty'],
      empty: ['', 'x'],
      filled: ['x', ' '],
    }
    for (const comparison of COMPARISONS) {
      const value = comparison === 'more' || comparison === 'less' ? '50' : 'Fifty'
      const expression = writeSimple({ variable: 'total', comparison, value }) ?? ''
      const [yes = '', no = ''] = expected[comparison]
      expect([comparison, await decide(expression, yes), await decide(expression, no)]).toEqual([
        comparison,
        'yes',
        'no',
      ])
    }
  })

  test('are steps of each kind that lack only what a person writes', async () => {
    const nodes = PALETTE.flatMap(({ kinds }) =>
      kinds.map((kind) => ({
        ...{ id: kind, label: null, position: null },
        ...newNode(readGraph({}), kind, WORDS),
      })),
    )
    const graph: Graph = { entry: 'message', nodes, edges: [] }
    const lacking = (await errorsOf(graph))
      .map((found) => readProblem(graph, found, true))
      .filter(({ field }) => field !== null)
    const strange = lacking.filter(
      ({ message }) => !/^(?:is required|must (?:have 1 to|not be)|must be an http)/.test(message),
    )
    expect(strange).toEqual([])
    const complete = PALETTE.flatMap(({ kinds }) => kinds).filter(
      (kind) => !lacking.some(({ node }) => node === kind),
    )
    expect(complete.toSorted()).toEqual(['ai_response', 'delay', 'end', 'timing', 'transfer'])
  })

  test('is a file that makes the same flow again', async () => {
    const made = await admin.post('/api/chatbot/flows/from-template', {
      ...{ template_key: 'order_status', name: 'Orders', language: 'de' },
    })
    const read = readFlow(writeFlow(made.data))
    const copy = await admin.post('/api/chatbot/flows', { ...read, name: 'Orders again' })
    expect(copy.status).toBe(201)
    for (const field of ['graph', 'trigger_keywords', 'cancel_message', 'timeout_message'])
      expect(copy.data[field]).toEqual(made.data[field])
    expect(copy.data['enabled']).toBe(false)
  })

  test('is refused with what is stored now, once somebody else changed the flow', async () => {
    const { data: flow } = await admin.post('/api/chatbot/flows', { name: 'Shared' })
    const path = `/api/chatbot/flows/${String(flow['id'])}`
    const graph = { ...(flow['graph'] as Loose), entry_node: 'start' }
    world.clock.advance({ seconds: 1 })
    const first = await admin
      .with({ 'if-match': `"${String(flow['updated_at'])}"` })
      .put(path, { graph, publish: false, description: 'first' })
    expect(first.status).toBe(200)
    const second = await admin
      .with({ 'if-match': `"${String(flow['updated_at'])}"` })
      .put(path, { graph, publish: false })
    expect([second.status, second.body.code]).toEqual([409, 'changed_meanwhile'])
    expect(second.body.details?.['present']).toEqual(first.data)
  })
})
