import { expect, test } from 'bun:test'

import { withWhatsAppMarks } from '../../../../src/modules/automation/ai/prompt/whatsapp-marks'

test.each([
  ['Plain, 2 * 3 * 4 = 24.', 'Plain, 2 * 3 * 4 = 24.'],
  ['**Bold** and *slanted* and ***both***', '*Bold* and _slanted_ and *_both_*'],
  ['__Bold__ and _slanted_ and ~~gone~~', '*Bold* and _slanted_ and ~gone~'],
  ['*Bold* as WhatsApp writes it', '*Bold* as WhatsApp writes it'],
  ['## Our **hours** ##\nDaily', '*Our hours*\nDaily'],
  ['* one\n+ two\n- three\n  * four', '- one\n- two\n- three\n  - four'],
  ['1. one\n2. two\n> quoted', '1. one\n2. two\n> quoted'],
  ['See [our page](https://a.example/x "Title").', 'See our page (https://a.example/x).'],
  ['![a cake](https://a.example/c.png)', 'a cake (https://a.example/c.png)'],
  [
    '[https://a.example](https://a.example) <https://b.example>',
    'https://a.example https://b.example',
  ],
  ['a\n\n---\n\nb', 'a\n\nb'],
  ['| Day | Open |\n|---|:-:|\n| Mon | **9** |', 'Day | Open\nMon | *9*'],
  ['**a** `**code**` ```js\nx ** y\n``` **b**', '*a* `**code**` ```\nx ** y\n``` *b*'],
  ['5 \\* 3 \\_ # no heading', '5 * 3 _ # no heading'],
  ['**not closed and snake_case_name', '**not closed and snake_case_name'],
  ['one<br>two', 'one\ntwo'],
])('%p becomes %p', (markdown, expected) => {
  expect(withWhatsAppMarks(markdown)).toBe(expected)
})

test.each(['**', '`', '[', '[a](', '* ', '~~', '_', '|', '```', '***a', '\\', '<', '- - ', '# '])(
  'a long row of %p is read in no time',
  (part) => {
    const before = process.cpuUsage()
    withWhatsAppMarks(part.repeat(200_000 / part.length))
    const { user } = process.cpuUsage(before)
    expect(user / 1_000).toBeLessThan(20)
  },
)
