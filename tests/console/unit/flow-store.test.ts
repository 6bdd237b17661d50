import { describe, expect, test } from 'bun:test'

import { ApiError } from '../../../src/console/api/error'
import type { BotFlow } from '../../../src/console/api/shapes'
import { add, configure, remove } from '../../../src/console/pages/flow/model/commands'
import { readGraph, writeGraph, type Graph } from '../../../src/console/pages/flow/model/graph'
import { FlowStore } from '../../../src/console/pages/flow/store'

const FIRST = {
  version: 2,
  entry_node: 'a',
  nodes: [
    { id: 'a', type: 'message', config: { message: 'A' } },
    { id: 'b', type: 'message', config: { message: 'B' } },
    { id: 'c', type: 'api_call', config: { url: 'https://a.example' } },
  ],
  edges: [
    { from: 'a', to: 'b', condition: 'default' },
    { from: 'b', to: 'c', condition: 'default' },
  ],
}

/** What a server keeps of a flow: it fills in what is left out, and refuses what is out of date. */
class Kept {
  flow = {
    id: 'f',
    graph: FIRST,
    updated_at: '1',
    version: 1,
    has_draft: false,
  } as unknown as BotFlow
  saves = 0
  told = 0

  readonly server = {
    save: (graph: Record<string, unknown>, ifMatch: string): Promise<BotFlow> => {
      this.saves += 1
      if (ifMatch !== this.flow.updated_at) {
        const more = { retryAfterS: null, fields: [], requestId: null }
        const details = { present: this.flow }
        return Promise.reject(new ApiError(409, 'changed_meanwhile', '', { ...more, details }))
      }
      return Promise.resolve(this.store(graph))
    },
    load: () => Promise.resolve(this.flow),
    check: () =>
      Promise.resolve({
        errors: [
          { path: 'graph.nodes.1.config.message', message: 'is required' },
          {
            path: 'graph.nodes.2.config.headers.x',
            message: 'has no stored value that `***` could keep',
          },
        ],
        warnings: [{ path: 'graph.nodes.0', message: 'ends the flow after default' }],
      }),
    onJoined: () => {
      this.told += 1
    },
  }

  store(graph: Record<string, unknown>): BotFlow {
    const filled = (graph['nodes'] as { type: string; config: object }[]).map((node) =>
      node.type === 'api_call' ? { ...node, config: { method: 'GET', ...node.config } } : node,
    )
    const updated_at = String(Number(this.flow.updated_at) + 1)
    this.flow = { ...this.flow, graph: { ...graph, nodes: filled }, updated_at, has_draft: true }
    return this.flow
  }

  /** Somebody else changes the flow. */
  change(work: (graph: Graph) => Graph): void {
    this.store(writeGraph(work(readGraph(this.flow.graph))))
  }

  open(): FlowStore {
    return new FlowStore(this.flow, this.server)
  }
}

const says = (graph: Graph, id: string): unknown =>
  graph.nodes.find((node) => node.id === id)?.config['message']
const saying = (id: string, message: string) => (graph: Graph) => configure(graph, id, { message })

describe('a flow that is edited', () => {
  test('is stored once, with what the server fills in', async () => {
    const kept = new Kept()
    const store = kept.open()
    store.change(saying('a', 'one')(store.graph))
    expect(store.snapshot().saving).toBe('changed')
    await Promise.all([store.flush(), store.flush()])
    expect(kept.saves).toBe(1)
    expect(store.snapshot().saving).toBe('saved')
    expect(store.graph.nodes[2]?.config['method']).toBe('GET')
    await store.flush()
    expect(kept.saves).toBe(1)
    // what was taken back is stored again
    store.undo()
    await store.flush()
    expect(says(readGraph(kept.flow.graph), 'a')).toBe('A')
    store.redo()
    store.close()
    await store.flush()
    expect(says(readGraph(kept.flow.graph), 'a')).toBe('one')
  })

  test('keeps what was changed while it was being stored', async () => {
    const kept = new Kept()
    const store = kept.open()
    store.change(saying('a', 'one')(store.graph))
    const saving = store.flush()
    store.change(saying('b', 'two')(store.graph))
    await saving
    const stored = readGraph(kept.flow.graph)
    expect([says(stored, 'a'), says(stored, 'b')]).toEqual(['one', 'two'])
    expect(store.snapshot().saving).toBe('saved')
    store.close()
  })

  test('is joined with what somebody else stored, also after a step was taken back', async () => {
    const kept = new Kept()
    const store = kept.open()
    store.change(saying('a', 'mine')(store.graph))
    kept.change(saying('b', 'theirs'))
    await store.flush()
    expect(kept.told).toBe(1)
    const stored = readGraph(kept.flow.graph)
    expect([says(stored, 'a'), says(stored, 'b')]).toEqual(['mine', 'theirs'])
    store.undo()
    await store.flush()
    const back = readGraph(kept.flow.graph)
    expect([says(back, 'a'), says(back, 'b')]).toEqual(['A', 'theirs'])
    store.close()
  })

  test('has both steps that two people added at the same place at the same time', async () => {
    const kept = new Kept()
    const store = kept.open()
    const place = { from: 'a', condition: 'default' }
    const asking = (body: string) => (graph: Graph) =>
      add(graph, { type: 'prompt', config: { body } }, place)[0]
    store.change(asking('mine')(store.graph))
    kept.change(asking('theirs'))
    await store.flush().catch(() => undefined)
    // both lead on from the same place: which one comes first is asked, and both are kept
    expect(store.snapshot().clashes.map(({ key }) => key.startsWith('node:'))).toEqual([false])
    store.resolve({})
    await store.flush()
    const { nodes } = readGraph(kept.flow.graph)
    expect(new Set(nodes.flatMap(({ config }) => config['body'] ?? []))).toEqual(
      new Set(['mine', 'theirs']),
    )
    store.close()
  })

  test('meets what somebody else stored before anything is published or replaced', async () => {
    const kept = new Kept()
    const store = kept.open()
    kept.change(saying('b', 'theirs'))
    await store.refresh()
    expect(says(store.graph, 'b')).toBe('theirs')
    expect([kept.told, store.snapshot().saving]).toEqual([1, 'saved'])
    // another version takes the place of everything, and is taken back with what they wrote
    store.restored(kept.store(FIRST))
    store.unrestore()
    await store.flush()
    expect(says(readGraph(kept.flow.graph), 'b')).toBe('theirs')
    // what is older than what is known changes nothing
    store.meet({ ...kept.flow, graph: FIRST, updated_at: '0' })
    expect(says(store.graph, 'b')).toBe('theirs')
    store.change(saying('a', 'mine')(store.graph))
    kept.change(saying('a', 'other'))
    expect(await store.refresh().catch(() => 'asked')).toBe('asked')
    expect(store.snapshot().clashes.map(({ key }) => key)).toEqual(['node:a'])
    store.close()
  })

  test('asks where somebody else changed the same, and stores what is chosen', async () => {
    const kept = new Kept()
    const store = kept.open()
    store.change(add(saying('a', 'mine')(store.graph), { type: 'end', config: {} })[0])
    kept.change((graph) => remove(saying('a', 'theirs')(graph), ['b']))
    expect(await store.flush().catch(() => 'asked')).toBe('asked')
    expect(store.snapshot().clashes.map(({ key }) => key)).toEqual(['node:a'])
    expect(says(store.graph, 'a')).toBe('mine')
    store.resolve({ 'node:a': 'theirs' })
    await store.flush()
    const stored = readGraph(kept.flow.graph)
    expect(says(stored, 'a')).toBe('theirs')
    expect(stored.nodes.map(({ id, type }) => (type === 'end' ? type : id))).toEqual([
      ...['a', 'c', 'end'],
    ])
    expect(store.snapshot()).toMatchObject({ clashes: [], saving: 'saved' })
    store.close()
  })

  test('says why it is not stored, and is stored with the next try', async () => {
    const kept = new Kept()
    const { save } = kept.server
    const lost = new TypeError('lost')
    kept.server.save = () => Promise.reject(lost)
    const store = kept.open()
    store.change(saying('a', 'one')(store.graph))
    expect(await store.flush().catch((error: unknown) => error)).toBe(lost)
    expect(store.snapshot()).toMatchObject({ saving: 'failed', error: lost })
    kept.server.save = save
    await store.flush()
    expect(store.snapshot()).toMatchObject({ saving: 'saved', error: null })
    store.close()
  })

  test('has a version as its draft as a step that can be taken back', async () => {
    const kept = new Kept()
    const store = kept.open()
    store.change(saying('a', 'one')(store.graph))
    await store.flush()
    store.restored(kept.store(FIRST))
    expect([says(store.graph, 'a'), store.snapshot().saving]).toEqual(['A', 'saved'])
    expect(store.snapshot().replaced).toBe(1)
    store.unrestore()
    expect(store.snapshot()).toMatchObject({ replaced: 2, saving: 'changed' })
    await store.flush()
    expect(says(readGraph(kept.flow.graph), 'a')).toBe('one')
    store.close()
  })

  test('has its problems, but not those of secrets that the server keeps', async () => {
    const store = new Kept().open()
    await Promise.resolve()
    await Promise.resolve()
    expect(store.snapshot().problems).toEqual([
      { node: 'b', field: 'message', condition: null, message: 'is required', isError: true },
      {
        ...{ node: 'a', field: null, condition: null },
        message: 'ends the flow after default',
        isError: false,
      },
    ])
    store.close()
  })
})
