import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { LiquidTemplates } from '../../../../src/infra/liquid/liquid'
import { FILTERS } from '../../../../src/infra/liquid/filters'
import { LIST_FILTERS } from '../../../../src/infra/liquid/list-filters'
import {
  NODE_CONFIGS,
  NODE_TYPES,
} from '../../../../src/modules/automation/chatbot/bot-flows/node-config'

const PAGE = readFileSync(join(import.meta.dir, '../../../../src/docs/bot.md'), 'utf8')
const rows = PAGE.split('\n').flatMap((line) => {
  const [, type, config] = /^\| `(\w+)` \| (.*) \| .* \|$/.exec(line) ?? []
  return type !== undefined && NODE_TYPES.some((known) => known === type) ? [{ type, config }] : []
})

test('the page on the bot describes every node type with every field', () => {
  expect(rows.map(({ type }) => type).toSorted()).toEqual(NODE_TYPES.toSorted())
  for (const { type, config } of rows)
    for (const field of Object.keys(NODE_CONFIGS[type as keyof typeof NODE_CONFIGS].properties))
      expect([type, config]).toEqual([type, expect.stringContaining(`\`${field}\``)])
})

test('the page on the bot names every filter', () => {
  const [, named = ''] = /^- Filters: (.*)\.$/m.exec(PAGE) ?? []
  expect(named.split(', ').toSorted()).toEqual(
    Object.keys({ ...FILTERS, ...LIST_FILTERS })
      .map((name) => `\`${name}\``)
      .toSorted(),
  )
})

test('the expressions of the page on the bot compile', () => {
  const [, block = ''] = /## Expressions\n[^]*?```\n([^]*?)```/.exec(PAGE) ?? []
  const expressions = block.trim().split('\n')
  expect(expressions).toHaveLength(3)
  const liquid = new LiquidTemplates()
  for (const expression of expressions) expect(liquid.expressionProblem(expression)).toBeNull()
})
