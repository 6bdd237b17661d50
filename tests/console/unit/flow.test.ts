import { describe, expect, test } from 'bun:test'

import { readFlow } from '../../../src/console/pages/flow/model/file'
import { copy, paste, readClip } from '../../../src/console/pages/flow/model/clip'
import {
  add,
  configure,
  connect,
  moveBy,
  moveTo,
  remove,
  renameChoice,
} from '../../../src/console/pages/flow/model/commands'
import {
  COMPARISONS,
  readSimple,
  writeSimple,
} from '../../../src/console/pages/flow/model/expression'
import {
  FIELDS,
  INTERACTIVE_FIELDS,
  INTERACTIVES,
} from '../../../src/console/pages/flow/model/fields'
import {
  NODE_TYPES as OURS,
  readGraph,
  targetOf,
  writeGraph,
  type Graph,
  type Node,
} from '../../../src/console/pages/flow/model/graph'
import {
  begin,
  MOST_STEPS,
  rebase,
  redo,
  step,
  undo,
} from '../../../src/console/pages/flow/model/history'
import { kindOf, newNode, PALETTE } from '../../../src/console/pages/flow/model/kinds'
import { arranged, placesOf } from '../../../src/console/pages/flow/model/layout'
import { sizeOf } from '../../../src/console/pages/flow/model/card'
import { differences, merge } from '../../../src/console/pages/flow/model/merge'
import { outcomesOf } from '../../../src/console/pages/flow/model/outcomes'
import { outlineOf } from '../../../src/console/pages/flow/model/outline'
import { readProblem } from '../../../src/console/pages/flow/model/problems'
import { readReply } from '../../../src/console/pages/flow/model/reply'
import { isGap, problemWords, wordWarning } from '../../../src/console/pages/flow/problem-words'
import { lineOf } from '../../../src/console/pages/flow/words'
import { loadLateTexts } from '../../../src/console/texts/texts'
import { variablesAt } from '../../../src/console/pages/flow/model/variables'
import { KINDS as MESSAGES } from '../../../src/modules/inbox/messages/compose/interactive/model'
import { outcomesOf as outcomesOfServer } from '../../../src/modules/automation/chatbot/bot-flows/graph'
import {
  NODE_CONFIGS,
  NODE_INTERACTIVES,
  NODE_TYPES,
} from '../../../src/modules/automation/chatbot/bot-flows/node-config'
import { GRAPHS } from '../../../src/modules/automation/chatbot/bot-flows/templates/graphs'
import { TEXTS } from '../../../src/modules/automation/chatbot/bot-flows/templates/texts'

await loadLateTexts()

const WORDS = { yes: 'Yes', no: 'No', first: 'First', choose: 'Choose', open: 'Open' }
const templates = Object.entries(GRAPHS).map(
  ([key, build]) => [key, readGraph({ ...build(TEXTS.en) })] as const,
)
const template = (key: string): Graph => new Map(templates).get(key) ?? readGraph({})

/** A flow of messages that follow each other, and a question with two ways behind them. */
const flow = readGraph({
  version: 2,
  entry_node: 'a',
  nodes: [
    { id: 'a', type: 'message', config: { message: 'A' } },
    { id: 'b', type: 'prompt', config: { body: 'B', store_as: 'total' } },
    { id: 'c', type: 'condition', config: { expression: '(total | number) > 50' } },
    { id: 'person', type: 'transfer', config: {} },
    { id: 'd', type: 'end', config: { message: 'D' } },
  ],
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c', condition: 'default' },
    { from: 'c', to: 'person', condition: 'true' },
    { from: 'c', to: 'd', condition: 'default' },
    { from: 'b', to: 'person', condition: 'max_retries' },
  ],
})
/** The rows of the outline of a flow, as a person would read them. */
const read = (graph: Graph): string[] =>
  outlineOf(graph).map((row) => {
    const way = 'from' in row && row.condition !== 'default' && row.from ? `${row.condition}: ` : ''
    const at = '  '.repeat(row.depth)
    if (row.kind === 'node') return `${at}${way}${row.node.id}`
    if (row.kind === 'jump') return `${at}${way}→ ${row.to.id}`
    return row.kind === 'open' ? `${at}${way}${row.goesOn ? '↓' : '.'}` : '--'
  })
const textOf = (graph: Graph): string => JSON.stringify(writeGraph(graph))

describe('the model knows', () => {
  test('every type of nodes, every kind of messages, and each of their settings', () => {
    expect([...OURS].toSorted()).toEqual([...NODE_TYPES].toSorted())
    for (const type of NODE_TYPES)
      expect(FIELDS[type].map(({ name }) => name).toSorted(), type).toEqual(
        Object.keys(NODE_CONFIGS[type].properties)
          .filter((name) => name !== 'interactive')
          .toSorted(),
      )
    expect([...INTERACTIVES]).toEqual([...NODE_INTERACTIVES])
    for (const kind of INTERACTIVES)
      expect(INTERACTIVE_FIELDS[kind].map(({ name }) => name).toSorted(), kind).toEqual(
        Object.keys(MESSAGES[kind]).toSorted(),
      )
  })

  test('what a setting may hold', () => {
    for (const type of NODE_TYPES)
      for (const field of FIELDS[type]) {
        const schema = JSON.stringify(
          (NODE_CONFIGS[type].properties as Record<string, unknown>)[field.name],
        )
        if (field.as === 'text' || field.as === 'line') {
          const most = /"maxLength":(\d+)/.exec(schema)?.[1]
          if (most !== undefined) expect(Number(most), `${type}.${field.name}`).toBe(field.most)
        }
        if (field.as === 'choice')
          for (const option of field.options) expect(schema).toContain(`"${option}"`)
        if (field.as === 'number') expect(schema).toContain(`"maximum":${field.range[1]}`)
      }
  })

  test('the outcomes of every node as the server does', () => {
    const nodes = [
      ...templates.flatMap(([, { nodes: all }]) => all),
      ...PALETTE.flatMap(({ kinds }) => kinds.map((kind) => newNode(flow, kind, WORDS))),
      { type: 'interactive' as const, config: { interactive: { type: 'list' }, max_retries: 2 } },
      { type: 'start' as const, config: {} },
    ]
    for (const node of nodes) expect(outcomesOf(node)).toEqual(outcomesOfServer(node as never))
  })

  test('a new node of every kind, and its kind again', () => {
    for (const { kinds } of PALETTE)
      for (const kind of kinds) expect(kindOf(newNode(flow, kind, WORDS))).toBe(kind)
    const types = new Set(
      PALETTE.flatMap(({ kinds }) => kinds.map((kind) => newNode(flow, kind, WORDS).type)),
    )
    expect(NODE_TYPES.filter((type) => !types.has(type))).toEqual(['start'])
  })
})

describe('a graph', () => {
  test('is written as it was read', () => {
    for (const [, graph] of templates) expect(readGraph(writeGraph(graph))).toEqual(graph)
  })

  test.each([
    {},
    { nodes: 7, edges: 'x' },
    { nodes: [null, { id: 4 }, { id: 'x', type: 'odd' }], edges: [{ from: 'x', to: 'y' }] },
  ])('that is none is read as an empty one: %j', (raw) => {
    expect(readGraph(raw)).toEqual({ entry: '', nodes: [], edges: [] })
  })
})

describe('the outline', () => {
  test('indents branches, and jumps to what stands elsewhere', () => {
    expect(read(flow)).toEqual([
      'a',
      'b',
      '  max_retries: → person',
      'c',
      '  true: person',
      '  false: ↓',
      'd',
    ])
    expect(read(template('welcome_menu'))).toEqual([
      'menu',
      '  button:hours: hours',
      '  again',
      '    button:back: → menu',
      '    button:person: person',
      '    button:done: done',
      '    max_retries: → person',
      '  button:offer: offer',
      '  → again',
      '  button:person: → person',
      '  max_retries: → person',
    ])
  })

  test('shows every node once, also those that nothing leads to', () => {
    const loose = paste(flow, readClip(copy(flow, ['c', 'd'])) ?? flow)[0]
    expect(read(loose).slice(7)).toEqual(
      ['--', 'c_2', '  true: .', '  false: ↓', 'd_2'].map((row) =>
        row === '  true: .' ? '  true: ↓' : row,
      ),
    )
    for (const [, graph] of templates) {
      const shown = outlineOf(graph).flatMap((row) => (row.kind === 'node' ? [row.node.id] : []))
      expect(shown.toSorted()).toEqual(graph.nodes.map(({ id }) => id).toSorted())
    }
  })
})

describe('a node', () => {
  const fresh = { type: 'message' as const, config: { message: 'N' } }

  test('is added where it was asked for, and the rest follows it', () => {
    const [after, id] = add(flow, fresh, { from: 'a', condition: 'default' })
    expect([targetOf(after, 'a', 'default'), targetOf(after, id, 'default')]).toEqual([id, 'b'])
    const [first, firstId] = add(flow, fresh, null)
    expect([first.entry, targetOf(first, firstId, 'default')]).toEqual([firstId, 'a'])
    const [ending, end] = add(
      flow,
      { type: 'end', config: {} },
      { from: 'a', condition: 'default' },
    )
    expect([targetOf(ending, 'a', 'default'), targetOf(ending, end, 'default')]).toEqual([
      end,
      null,
    ])
    expect(add(flow, fresh)[0].edges).toEqual(flow.edges)
  })

  test('is deleted, and what led to it leads on', () => {
    const without = remove(flow, ['a', 'b'])
    expect(without.entry).toBe('c')
    expect(read(without)).toEqual(['c', '  true: person', '  false: ↓', 'd'])
    expect(targetOf(remove(flow, ['c']), 'b', 'default')).toBe('d')
    // ways after other outcomes count if all of them lead to the same
    const toPerson = connect(flow, { from: 'c', condition: 'default' }, null)
    expect(targetOf(remove(toPerson, ['c']), 'b', 'default')).toBe('person')
    const apart = connect(toPerson, { from: 'c', condition: 'false' }, 'd')
    expect(targetOf(remove(apart, ['c']), 'b', 'default')).toBeNull()
    expect(remove(flow, ['person']).edges).toHaveLength(3)
    expect(remove(flow, ['nobody'])).toBe(flow)
    // steps that lead to each other leave no way behind
    const round = connect(flow, { from: 'b', condition: 'default' }, 'a')
    expect(remove(round, ['a', 'b'])).toMatchObject({
      entry: 'c',
      edges: [{ from: 'c' }, { to: 'd' }],
    })
    const all = remove(
      flow,
      flow.nodes.map(({ id }) => id),
    )
    expect(all).toEqual({ entry: '', nodes: [], edges: [] })
  })

  test('is moved up and down, and to another way', () => {
    expect(read(moveBy(flow, 'a', 1)).slice(0, 2)).toEqual(['b', '  max_retries: → person'])
    expect(moveBy(flow, 'a', 1).entry).toBe('b')
    expect(read(moveBy(flow, 'b', -1)).slice(0, 3)).toEqual(['b', '  max_retries: → person', 'a'])
    expect(textOf(moveBy(moveBy(flow, 'a', 1), 'a', -1)).length).toBe(textOf(flow).length)
    // the first one, one behind a branch, and one before the end stay
    for (const [id, by] of [
      ['a', -1],
      ['person', -1],
      ['c', 1],
    ] as const)
      expect(moveBy(flow, id, by)).toBe(flow)
    const moved = moveTo(flow, 'a', { from: 'c', condition: 'false' })
    expect(read(moved)).toContain('  false: a')
    expect(moved.entry).toBe('b')
  })

  test('loses the ways after choices that it no longer has', () => {
    const menu = template('welcome_menu')
    const buttons = [{ id: 'hours', title: 'Hours' }]
    const less = configure(menu, 'menu', { body: 'x', buttons })
    expect(
      less.edges.filter(({ from }) => from === 'menu').map(({ condition }) => condition),
    ).toEqual(['button:hours', 'max_retries'])
    const renamed = renameChoice(menu, {
      ...{ node: 'menu', from: 'hours', to: 'open' },
      config: { body: 'x', buttons: [{ id: 'open', title: 'Hours' }] },
    })
    expect(targetOf(renamed, 'menu', 'button:open')).toBe('hours')
  })

  test('is connected and let go', () => {
    const way = { from: 'c', condition: 'false' }
    const joined = connect(flow, way, 'a')
    expect(targetOf(joined, 'c', 'false')).toBe('a')
    expect(targetOf(connect(joined, way, 'd'), 'c', 'false')).toBe('d')
    expect(connect(joined, way, null).edges).toEqual(flow.edges)
    expect(connect(joined, way, 'a')).toBe(joined)
    expect(connect(flow, null, 'd').entry).toBe('d')
  })

  test('is copied with its ways into another flow, under another id', () => {
    const clip = readClip(copy(flow, ['b', 'c', 'person']))
    const [pasted, ids] = paste(flow, clip ?? flow)
    expect(ids).toEqual(['b_2', 'c_2', 'person_2'])
    expect(targetOf(pasted, 'c_2', 'true')).toBe('person_2')
    expect(targetOf(pasted, 'c_2', 'default')).toBeNull()
    for (const text of ['', 'hello', '{}', '{"kind":"switchboard-flow","graph":{"nodes":[]}}'])
      expect(readClip(text)).toBeNull()
    const empty = readGraph({})
    expect(paste(empty, clip ?? flow)[0].entry).toBe('b')
  })
})

describe('the history', () => {
  test('takes back a hundred steps, and takes them again', () => {
    let history = begin(flow)
    for (let at = 0; at <= MOST_STEPS; at += 1)
      history = step(history, { ...flow, entry: `n${at}` })
    let back = history
    for (let at = 0; at < 2 * MOST_STEPS; at += 1) back = undo(back)
    expect(back.present.entry).toBe('n0')
    expect(back.future).toHaveLength(100)
    let again = back
    for (let at = 0; at < 2 * MOST_STEPS; at += 1) again = redo(again)
    expect(again.present).toEqual(history.present)
    expect(step(undo(history), flow).future).toEqual([])
  })

  test('counts typing in one field as one step', () => {
    const named = (entry: string): Graph => ({ ...flow, entry })
    const typed = step(step(step(begin(flow), named('x'), 'f'), named('xy'), 'f'), named('z'), 'g')
    expect(undo(typed).present.entry).toBe('xy')
    expect(undo(undo(typed)).present).toBe(flow)
    expect(rebase(typed, (graph) => ({ ...graph, edges: [] })).past[0]?.edges).toEqual([])
  })
})

describe('two people in one flow', () => {
  const mine = configure(flow, 'a', { message: 'mine' })
  const theirs = add(configure(flow, 'd', { message: 'theirs' }), { type: 'end', config: {} })[0]

  test('keep what each of them changed', () => {
    const { graph, clashes } = merge(flow, { mine, theirs })
    expect(clashes).toEqual([])
    expect(graph.nodes.map(({ config }) => config['message'])).toEqual([
      ...['mine', undefined, undefined, undefined, 'theirs', undefined],
    ])
    expect(merge(flow, { mine: flow, theirs }).graph).toEqual(theirs)
  })

  test('choose where both changed the same', () => {
    const other = configure(flow, 'a', { message: 'theirs' })
    const { graph, clashes } = merge(flow, { mine, theirs: other })
    expect(clashes.map(({ key }) => key)).toEqual(['node:a'])
    expect(graph.nodes[0]?.config['message']).toBe('mine')
    const chosen = merge(flow, { mine, theirs: other }, { 'node:a': 'theirs' })
    expect(chosen.graph.nodes[0]?.config['message']).toBe('theirs')
    const gone = merge(flow, { mine, theirs: remove(flow, ['a']) })
    expect(gone.clashes.map(({ key }) => key)).toContain('node:a')
  })

  test('change different settings of one step, or move it while its words change', () => {
    const at = (x: number) => (graph: Graph) => ({
      ...graph,
      nodes: graph.nodes.map((node) => ({ ...node, position: { x, y: 0 } })),
    })
    const moved = at(7)(configure(flow, 'a', { ...flow.nodes[0]?.config, footer: 'mine' }))
    const both = merge(flow, {
      mine: moved,
      theirs: at(8)(configure(flow, 'a', { message: 'theirs' })),
    })
    expect(both.clashes).toEqual([])
    expect(both.graph.nodes[0]).toMatchObject({
      ...{ position: { x: 7, y: 0 }, config: { message: 'theirs', footer: 'mine' } },
    })
  })

  test('delete each another step, and the flow still begins somewhere', () => {
    const withoutFirst = remove(flow, [flow.entry])
    const { graph } = merge(flow, {
      mine: withoutFirst,
      theirs: remove(flow, [withoutFirst.entry]),
    })
    expect(graph.nodes.map(({ id }) => id)).toContain(graph.entry)
  })

  test('read what is new before they publish it', () => {
    const after = connect(remove(theirs, ['person']), { from: 'c', condition: 'true' }, 'd')
    expect(
      differences(flow, after).map(
        ({ kind, node, condition }) => `${kind} ${node.id} ${condition ?? ''}`,
      ),
    ).toEqual([
      'changed d ',
      `added ${after.nodes.at(-1)?.id ?? ''} `,
      'removed person ',
      'changed c true',
      'changed b max_retries',
    ])
    const moved = {
      ...flow,
      nodes: flow.nodes.map((node) => ({ ...node, position: { x: 1, y: 2 } })),
    }
    expect(differences(flow, moved)).toEqual([])
    expect(differences(flow, { ...flow, entry: 'b' })).toHaveLength(1)
  })
})

describe('beside the graph', () => {
  test('values are offered where they are known', () => {
    const stored = (id: string | null): string[] =>
      variablesAt(flow, id, ['city']).flatMap(({ name, by }) => (by === null ? [] : [name]))
    expect(stored('c')).toEqual(['total'])
    expect(stored('b')).toEqual([])
    expect(stored(null)).toEqual(['total'])
    expect(variablesAt(flow, 'a', ['city']).map(({ name }) => name)).toContain(
      'contact.attributes.city',
    )
  })

  test('cards do not cover each other, and stay where they were put', () => {
    for (const [key, graph] of templates) {
      const places = [...placesOf(graph, sizeOf)]
      for (const [index, [id, { x, y }]] of places.entries())
        for (const [other, at] of places.slice(index + 1)) {
          const [one, two] = [id, other].map((name) =>
            sizeOf(graph.nodes.find((node) => node.id === name) ?? { type: 'end', config: {} }),
          )
          const apart =
            x + (one?.width ?? 0) <= at.x ||
            at.x + (two?.width ?? 0) <= x ||
            y + (one?.height ?? 0) <= at.y ||
            at.y + (two?.height ?? 0) <= y
          expect(apart, `${key}: ${id} and ${other}`).toBe(true)
        }
    }
    const put = {
      ...flow,
      nodes: flow.nodes.map((node, index) => ({ ...node, position: { x: index * 9, y: 7 } })),
    }
    expect(placesOf(put, sizeOf).get('b')).toEqual({ x: 9, y: 7 })
    const [grown, id] = add(put, { type: 'end', config: {} }, { from: 'a', condition: 'error' })
    expect(placesOf(grown, sizeOf).get(id)?.x).toBeGreaterThan(9)
    expect(arranged(readGraph({}), sizeOf).size).toBe(0)
  })

  test('problems are found at their node', () => {
    const at = (path: string) => {
      const { node, field, condition } = readProblem(flow, { path, message: '' }, true)
      return [node, field, condition]
    }
    expect(at('body.graph.nodes.1.config.buttons.0.title')).toEqual(['b', 'buttons.0.title', null])
    expect(at('graph.edges.2.condition')).toEqual(['c', null, 'true'])
    expect(at('body.graph.entry_node')).toEqual([null, null, null])
    expect(at('body.graph.nodes.99')).toEqual([null, null, null])
  })

  test('problems are said in the words of people, with the setting that they are about', () => {
    const wordsAt = (path: string, message: string): string =>
      problemWords(readProblem(flow, { path: `graph.${path}`, message }, true), flow)
    const lacking = configure(flow, 'a', { message: ' ' })
    const gap = readProblem(
      lacking,
      {
        path: 'graph.nodes.0.config.message',
        message: 'must have 1 to 4096 characters and not be blank',
      },
      true,
    )
    expect([isGap(gap, lacking), isGap(gap, flow)]).toEqual([true, false])
    expect(problemWords(gap, lacking)).toBe('Text: Fill in this field.')
    expect(problemWords(gap, flow)).toBe('Text: 1 to 4,096 characters, and not only spaces.')
    expect(wordsAt('nodes.2', 'ends the flow after true, false: no edge follows')).toBe(
      'The flow ends after: Yes, it is so, No, it is not',
    )
    expect(wordsAt('nodes.4', 'cannot be reached from `entry_node`')).toBe(
      'Nothing leads here. Connect it, or delete it.',
    )
    expect(wordsAt('nodes.3.config.team_id', 'is not a team of this organization')).toBe(
      'Team: It does not exist any more. Choose another one.',
    )
    expect(wordsAt('edges.0.condition', 'must be one of default')).toMatch(/^A way after this step/)
  })

  test('words that begin it are said with what else they do', () => {
    const said = (message: string, path = 'trigger_keywords.1') =>
      wordWarning({ path, message }, ['hi', 'stop'])
    expect(said('also begins the flow "A "B""; only one of them answers')).toBe(
      '“stop” also begins the flow “A "B"”. Only one of them answers.',
    )
    expect(said('is an opt-out word: a message that is only this word …')).toStartWith(
      '“stop” is a',
    )
    expect(said('is new', 'priority')).toBe('is new')
  })

  test('comparisons are read as they were written', () => {
    for (const comparison of COMPARISONS) {
      const simple = { variable: 'contact.attributes.city', comparison, value: '50' }
      const expression = writeSimple(simple) ?? ''
      expect(readSimple(expression)).toEqual({
        ...simple,
        value: comparison === 'empty' || comparison === 'filled' ? '' : '50',
      })
    }
    expect(writeSimple({ variable: 'total', comparison: 'more', value: 'many' })).toBeNull()
    expect(readSimple("total > 50 and city == 'Bonn'")).toBeNull()
  })
})

test('the words of a step are said in one line', () => {
  const node = (type: Node['type'], config: Record<string, unknown>): Node => ({
    ...{ id: 'x', type, label: null, position: null, config },
  })
  expect(lineOf(node('delay', { seconds: 5 }))).toBe('5 sec')
  expect(lineOf(node('message', { message: '*We _are_ open*\n~not~ 2*3*4' }))).toBe(
    'We are open not 2*3*4',
  )
})

describe('the file of a flow', () => {
  const graph = {
    ...writeGraph(flow),
    nodes: [{ id: 'x', type: 'api_call', config: { headers: { key: '***', plain: 'seen' } } }],
  }

  test('is read with what every organization can use, and without secrets that are not in it', () => {
    const file = { kind: 'switchboard-flow', name: 'Pizza', account_id: 'here', id: 'f', graph }
    // what somebody wrote by hand is left out where it is no such field
    const odd = { cancel_keywords: 'stop', priority: 'high', panel_config: [], timeout_message: 7 }
    expect(readFlow(JSON.stringify({ ...file, trigger_keywords: ['pizza'], ...odd }))).toEqual({
      name: 'Pizza',
      trigger_keywords: ['pizza'],
      graph: {
        ...graph,
        nodes: [{ id: 'x', type: 'api_call', config: { headers: { plain: 'seen' } } }],
      },
    })
  })

  test.each([
    '',
    'hello',
    '[]',
    '{"name":"x"}',
    '{"name":"x","graph":{}}',
    JSON.stringify({ name: 7, graph }),
  ])('is none: %j', (text) => {
    expect(readFlow(text)).toBeNull()
  })
})

describe('a message of a test', () => {
  test('is read with what can be tapped, in order', () => {
    const list = readReply({
      type: 'interactive',
      interactive: {
        ...{ type: 'list', body: 'Menu', button_text: 'Open' },
        sections: [
          { title: 'Pizza', rows: [{ id: 'm', title: 'Margherita', description: '8 €' }] },
          { rows: [{ id: 'w', title: 'Water' }] },
        ],
      },
    })
    expect(list.choices.map(({ id }) => id)).toEqual(['m', 'w'])
    expect(list.message.list?.sections.map(({ rows }) => rows.length)).toEqual([1, 1])
    const form = readReply({
      type: 'interactive',
      interactive: { type: 'flow', body: 'Fill in', button_text: 'Open', flow_id: 'f' },
    })
    expect([form.formId, form.message.buttons.length]).toEqual(['f', 1])
    expect(readReply({ type: 'text', text: 'Hi' }).message.body).toBe('Hi')
    const picture = readReply({ type: 'image', media_id: 'abc', caption: 'Cake' })
    expect(picture.message).toMatchObject({
      header: { kind: 'image', file: '/api/media/abc' },
      body: 'Cake',
    })
  })
})
