import { describe, expect, test } from 'bun:test'

import {
  chooseRule,
  fillPlaceholders,
  OPERATORS,
  unknownPlaceholders,
} from '../../../../src/modules/channel/flows/rules'

type Case = [value: unknown, wanted: unknown]

describe('a condition of a rule', () => {
  test.each<[op: string, holds: Case[], fails: Case[]]>([
    [
      'eq',
      [
        ['a', 'a'],
        [1, 1],
        ['1', 1],
        [true, 'true'],
        [null, null],
      ],
      [
        ['a', 'A'],
        [1, 2],
        [['1'], '1'],
        ['1', ['1']],
        [{}, '[object Object]'],
        ['[object Object]', {}],
        [undefined, 'x'],
      ],
    ],
    [
      'ne',
      [
        ['a', 'b'],
        [undefined, 'a'],
      ],
      [
        ['a', 'a'],
        ['1', 1],
      ],
    ],
    [
      'in',
      [
        ['a', ['b', 'a']],
        [1, ['1']],
      ],
      [
        ['a', []],
        ['a', 'a'],
        ['c', ['a', 'b']],
        [undefined, undefined],
      ],
    ],
    [
      'gt',
      [
        [2, 1],
        ['10', '9'],
        ['2026-02-01', '2026-01-31'],
      ],
      [
        [1, 1],
        [1, 2],
        ['', -1],
        [null, -1],
        [[], -1],
      ],
    ],
    [
      'gte',
      [
        [1, 1],
        [2, 1],
        ['b', 'a'],
        ['b', 'b'],
      ],
      [
        [0, 1],
        ['a', 'b'],
        [undefined, ''],
      ],
    ],
    [
      'lt',
      [
        [1, 2],
        ['9', '10'],
        ['a', 'b'],
      ],
      [
        [1, 1],
        [2, 1],
        ['', 1],
        ['b', 'a'],
      ],
    ],
    [
      'lte',
      [
        [1, 1],
        [1, 2],
        ['a', 'a'],
      ],
      [
        [2, 1],
        ['b', 'a'],
        [null, 1],
      ],
    ],
    [
      'contains',
      [
        ['Ana Sol', 'sol'],
        [['a', 'b'], 'b'],
        [12, '2'],
      ],
      [
        ['Ana', 'x'],
        [['ab'], 'b'],
        [undefined, 'a'],
      ],
    ],
    [
      'exists',
      [
        ['a', true],
        [0, true],
        [false, null],
        ['', false],
        [null, false],
        [[], false],
      ],
      [
        ['', true],
        [[], null],
        ['a', false],
      ],
    ],
  ])('%s', (op, holds, fails) => {
    for (const [value, wanted] of holds)
      expect([op, value, wanted, OPERATORS[op]?.(value, wanted)]).toEqual([op, value, wanted, true])
    for (const [value, wanted] of fails)
      expect([op, value, wanted, OPERATORS[op]?.(value, wanted)]).toEqual([
        op,
        value,
        wanted,
        false,
      ])
  })
})

describe('the rule for a request', () => {
  const rule = (more: object) => ({
    ...{ action: null, screen: null, when: [], next_screen: 'NEXT', data: {}, set_attributes: {} },
    ...more,
  })
  const request = { action: 'INIT', screen: 'FIRST', data: { a: { b: ['x', 'y'] }, 'c.d': 1 } }
  const fits = (more: object): boolean => chooseRule([rule(more)], request) !== null

  test('fits in action, screen and every condition', () => {
    expect(fits({})).toBe(true)
    expect([fits({ action: 'INIT' }), fits({ action: 'BACK' })]).toEqual([true, false])
    expect([fits({ screen: 'FIRST' }), fits({ screen: 'NEXT' })]).toEqual([true, false])
    const x = { field: 'a.b.0', op: 'eq', value: 'x' }
    const y = { field: 'data.a.b.1', op: 'eq', value: 'y' }
    const z = { field: 'a.z', op: 'exists', value: true }
    expect([fits({ when: [x, y] }), fits({ when: [x, z] })]).toEqual([true, false])
    expect(fits({ when: [{ field: 'a', op: 'odd', value: 1 }] })).toBe(false)
    expect(fits({ when: [{ field: 'toString', op: 'exists', value: true }] })).toBe(false)
    expect(fits({ when: [{ field: 'a.b.0.length', op: 'exists', value: true }] })).toBe(false)
  })

  test('is the first that fits', () => {
    const rules = [rule({ action: 'BACK' }), rule({ next_screen: 'A' }), rule({ next_screen: 'B' })]
    expect(chooseRule(rules, request)?.next_screen).toBe('A')
    expect(chooseRule([], request)).toBeNull()
  })
})

describe('a placeholder', () => {
  const around = {
    ...{ action: 'INIT', screen: null, flowToken: 'token', now: '2026-11-21T09:30:00.000Z' },
    data: { email: 'a@b.c', n: 3, list: [1, 2], yes: false },
    contact: { name: 'Ana', tags: ['VIP'] },
  }

  test.each<[text: unknown, filled: unknown]>([
    ['{{contact.name}}', 'Ana'],
    ['{{ data.n }}', 3],
    ['{{data.list}}', [1, 2]],
    ['{{data.nothing}}', null],
    ['{{flow_token}}', 'token'],
    ['{{flowToken}}', null],
    ['Hello {{contact.name}}, {{data.email}} {{data.nothing}}{{screen}}.', 'Hello Ana, a@b.c .'],
    ['{{data.yes}} {{data.list}} {{contact.tags.0}}', 'false [1,2] VIP'],
    [{ a: ['{{action}}', 1, null] }, { a: ['INIT', 1, null] }],
    ['no {placeholder}', 'no {placeholder}'],
  ])('in %j becomes %j', (text, filled) => {
    expect(fillPlaceholders(text, around)).toEqual(filled)
  })

  test('that stands for nothing is named, wherever it is', () => {
    expect(unknownPlaceholders('{{contact.name}} {{ data.x }} {{now}}')).toEqual([])
    expect(
      unknownPlaceholders({ a: ['{{secret.key}}', { b: 'x {{env}} {{screen}}' }], c: 7, d: null }),
    ).toEqual(['secret.key', 'env'])
  })
})
