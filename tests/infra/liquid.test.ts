import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'

import { LiquidTemplates, type TemplateData } from '../../src/infra/liquid/liquid'

const liquid = new LiquidTemplates()
const data: TemplateData = {
  timezone: 'Asia/Kolkata',
  language: 'de',
  values: {
    prices: ['10', '30,5', '2'],
    goods: [
      { name: 'Tea', color: 'red', price: 5, maker: { city: 'Kyoto' } },
      { name: 'Pot', color: 'red', price: 20 },
      { name: 'Cup', color: 'blue', price: 3 },
      { name: 'Box' },
    ],
    contact_name: 'Zoë "Q" Ünal & co',
    contact: { language: 'de', name: 'Zoë' },
    order: { total: 60, price: '12,50', items: [{ name: 'Tea' }, { name: 'Cup' }] },
    message: { text: 'Order 4711, please 🙏' },
    now: '2026-11-23T20:00:00.000Z',
    nothing: [],
    codes: ['EUR', 'USD', 'INR', 'BRL', 'IDR', 'GBP', 'CHF', 'TRY', 'MXN', 'SAR'],
    many: Array.from({ length: 80 }, (_, index) => index),
    long: 'a'.repeat(30_000),
  },
}
const text = (source: string, place: 'text' | 'url' | 'json' | 'header' = 'text'): string => {
  const result = liquid.renderTemplate(source, data, place)
  return result.ok ? result.text : `${result.problem}: ${result.message}`
}
const holds = (source: string): boolean => liquid.evaluateCondition(source, data).value

describe('a template', () => {
  test.each([
    ['Hello', 'Hello'],
    ['Hi {{ contact.name | upcase }}!', 'Hi ZOË!'],
    ['{{ missing }}|{{ missing.deeper }}|{{ missing | default: "–" }}', '||–'],
    ['{{ order.items[1].name }} {{ order.items.first.name }} {{ order.items.size }}', 'Cup Tea 2'],
    ['{% if order.total > 50 %}free{% elsif order.total %}paid{% else %}none{% endif %}', 'free'],
    ['{% unless nothing == empty %}x{% else %}y{% endunless %}', 'y'],
    [
      '{% case contact.language %}{% when "en" %}Hi{% when "de", "at" %}Hallo{% endcase %}',
      'Hallo',
    ],
    [
      '{% for item in order.items %}{{ forloop.index }}. {{ item.name }}{% unless forloop.last %}, {% endunless %}{% endfor %}',
      '1. Tea, 2. Cup',
    ],
    ['{% for n in many reversed limit: 2 offset: 3 %}{{ n }} {% endfor %}', '4 3 '],
    ['{% for n in nothing %}x{% else %}none{% endfor %}', 'none'],
    ['{{ 7 | divided_by: 2 }} {{ 8 | divided_by: 2 }} {{ 0.1 | plus: 0.2 }}', '3.5 4 0.3'],
    ['{{ "5" | times: 2 | minus: 1 }} {{ 1 | divided_by: 0 }} {{ 2.345 | round: 2 }}', '9  2.35'],
    ['{{ "a, b" | split: ", " | join: "+" }} {{ "hELLO" | capitalize }}', 'a+b Hello'],
    ['{{ "  x " | strip }}{{ "Grüße 🙏🙏" | truncate: 7 }}', 'xGrüß...'],
    ['{{ order.price | number | plus: 1 }} {{ message.text | size }}', '13.5 20'],
    ['{{ now | date: "%A, %d.%m.%Y %H:%M" }}', 'Dienstag, 24.11.2026 01:30'],
    [
      '{{ "2026-02-03" | date: "%-d. %B %y, %a %b" }} {{ 1795000000 | date: "%F" }}',
      '3. Februar 26, Di Feb 2026-11-18',
    ],
    [
      '{{ 1234.5 | number: 2 }} {{ order.price | number: 1 }} {{ 7 | number: 0 }}',
      '1.234,50 12,5 7',
    ],
    ['{{ "x" | number: 2 }}|{{ missing | money: "EUR" }}|', '||'],
    ['{{ "Tea" | append: " & " | append: order.total }}', 'Tea & 60'],
    ['{{ "b, C, a" | split: ", " | sort | join: "" }}', 'abC'],
    ['{{ prices | sort | join: " " }}', '2 10 30,5'],
    ['{{ goods | sort: "price" | map: "name" | join: " " }}', 'Cup Tea Pot Box'],
    ['{{ goods | where: "color", "red" | map: "name" | join: " " }}', 'Tea Pot'],
    [
      '{{ goods | where: "price" | size }} {{ goods | where: "maker" | map: "maker.city" | join }}',
      '3 Kyoto',
    ],
    ['{{ "31 February" | date: "%F" }}', '31 February'],
    ['{{ order.items | json }}', '[{"name":"Tea"},{"name":"Cup"}]'],
    ['{{ "مرحبا" | replace: "ا", "!" }}', 'مرحب!'],
  ])('%p gives %p', (source, expected) => {
    expect(text(source)).toBe(expected)
  })

  test.each([
    ['de', '1.234,50 €|1.234,5|Mittwoch, 3. Juni|Juni'],
    ['en', '€1,234.50|1,234.5|Wednesday, 3. June|June'],
    ['pl', '1234,50 €|1234,5|środa, 3. czerwca|czerwiec'],
    ['pt-BR', '€ 1.234,50|1.234,5|quarta-feira, 3. junho|junho'],
    ['zz', '€1,234.50|1,234.5|Wednesday, 3. June|June'],
    ['no language', '€1,234.50|1,234.5|Wednesday, 3. June|June'],
    [null, '€1,234.50|1,234.5|Wednesday, 3. June|June'],
  ])('in %p writes numbers, money and dates as people there do', (language, expected) => {
    const source =
      '{{ 1234.5 | money: "EUR" }}|{{ 1234.5 | number: 1 }}|' +
      '{{ "2026-06-03" | date: "%A, %-d. %B" }}|{{ "2026-06-03" | date: "%B" }}'
    const rendered = liquid.renderTemplate(
      source,
      { timezone: 'UTC', language, values: {} },
      'text',
    )
    expect(rendered.ok && rendered.text.replaceAll('\u00a0', ' ')).toBe(expected)
  })

  test('writes money in the currency of a variable, and a plain number in none', () => {
    const values = { total: 5, currency: 'JPY', none: 'euros' }
    const written = (source: string) =>
      liquid.renderTemplate(source, { timezone: 'UTC', language: 'en', values }, 'text')
    expect(written('{{ total | money: currency }}')).toMatchObject({ text: '¥5' })
    expect(written('{{ total | money: none }}')).toEqual({
      ok: true,
      text: '5.00',
      notes: ['`money` got a currency that is no code of three capital letters.'],
    })
  })

  test.each([
    [{ latitude: 52.5, longitude: 13.4, name: 'Café', address: 'Ring 1' }, 'Café, Ring 1'],
    [{ latitude: 52.5, longitude: 13.4 }, '52.5, 13.4'],
    [{ type: 'document', mediaId: 'x', filename: 'bill.pdf' }, 'bill.pdf'],
    [{ type: 'image', mediaId: 'x', filename: null }, 'image'],
    [
      [{ name: { formatted_name: 'Ann Lee' }, phones: [{ phone: '+49 30 1' }] }],
      'Ann Lee, +49 30 1',
    ],
    [{ size: 'L', extras: ['milk', 'sugar'], note: null }, 'size: L, extras: milk, sugar'],
    [['milk', 'sugar'], 'milk, sugar'],
    [[], ''],
    [{}, ''],
  ])('writes %p as %p', (value, expected) => {
    const values = { value }
    const rendered = liquid.renderTemplate(
      '{{ value }}',
      { timezone: 'UTC', language: null, values },
      'text',
    )
    expect(rendered).toMatchObject({ ok: true, text: expected })
  })

  test('percent-encodes values in a URL, once', () => {
    expect(
      text('https://a.example/{{ contact_name }}?q={{ contact_name | url_encode }}', 'url'),
    ).toBe(
      'https://a.example/Zo%C3%AB%20%22Q%22%20%C3%9Cnal%20%26%20co?q=Zo%C3%AB%20%22Q%22%20%C3%9Cnal%20%26%20co',
    )
    for (const dots of ['..', '.', '%2e%2E'])
      expect(
        liquid.renderTemplate(
          'https://a.example/orders/{{ id }}/notes?x=..',
          { timezone: 'UTC', language: null, values: { id: dots } },
          'url',
        ),
      ).toMatchObject(dots.includes('%') ? { ok: true } : { ok: false, problem: 'url_dots' })
  })

  test('escapes values in JSON, but not those of `json`', () => {
    const rendered = text('{"name":"{{ contact_name }}","items":{{ order.items | json }}}', 'json')
    expect(JSON.parse(rendered)).toEqual({
      name: 'Zoë "Q" Ünal & co',
      items: [{ name: 'Tea' }, { name: 'Cup' }],
    })
  })

  test('refuses line breaks and characters that headers cannot hold', () => {
    for (const value of ['a\r\nX-Admin: 1', 'a\nb', 'a\0b', '你好'])
      expect(
        liquid.renderTemplate(
          '{{ value }}',
          { timezone: 'UTC', language: null, values: { value } },
          'header',
        ),
      ).toMatchObject({ ok: false, problem: 'header_characters' })
    expect(text('Bearer {{ contact.name }}', 'header')).toBe('Bearer Zoë')
  })

  test.each([
    '{% assign a = 1 %}',
    '{% capture a %}x{% endcapture %}',
    '{% include "/etc/passwd" %}',
    '{% render "x" %}',
    '{% layout "x" %}',
    '{% raw %}x{% endraw %}',
    '{% liquid echo 1 %}',
    '{% tablerow x in many %}{% endtablerow %}',
    '{% increment x %}',
    '{{ many | money }}',
    '{{ many | where_exp: "x", "y" }}',
    '{{ (many | shuffle) }}',
    '{{ a b }}',
    '{% if a == %}x{% endif %}',
    '{% if a %}',
    '{{ a',
    '{{ }}',
    `${'{% if a %}'.repeat(40)}${'{% endif %}'.repeat(40)}`,
    `{{ ${'('.repeat(2_000)}a${')'.repeat(2_000)} }}`,
    'x'.repeat(8_193),
  ])('%p is refused', (source) => {
    expect(liquid.templateProblem(source)).toStartWith('The template is ')
    expect(text(source)).toStartWith('template_invalid')
  })

  test('stops at its limits and says why', () => {
    expect(text('{% for n in many limit: 50 %}x{% endfor %}')).toBe('x'.repeat(50))
    for (const loop of [
      '{% for n in many %}x{% endfor %}',
      '{% for n in many limit: 51 %}{% endfor %}',
    ])
      expect(text(loop)).toBe(
        'template_budget: The template is stopped: its loops have more than 50 rounds.',
      )
    const nested =
      '{% for a in many limit: 7 %}{% for b in many limit: 7 %}x{% endfor %}{% endfor %}'
    expect(text(nested)).toStartWith('template_budget')
    expect(text('{% for n in many limit: 10 %}{{ n | money: codes[n] }}{% endfor %}')).toStartWith(
      'template_budget',
    )
    expect(text('{{ long }}')).toStartWith('output_too_long')
    const emoji = (many: number) => `{% if true %}${'👋'.repeat(many)}{% endif %}`
    expect(text(emoji(4_096))).toBe('👋'.repeat(4_096))
    expect(text(emoji(4_097))).toStartWith('output_too_long')
    expect(text('👋'.repeat(4_096))).toBe('👋'.repeat(4_096))
    expect(liquid.templateProblem(`{{ a }}${'👋'.repeat(8_185)}`)).toBe(null)
    expect(liquid.templateProblem(`{{ a }}${'👋'.repeat(8_186)}`)).toContain('8192 characters')
    expect(text('{% for n in (1..100000000000) %}{% endfor %}')).toStartWith('template_budget')
    expect(text('{{ (1..100000000000) | size }}')).toStartWith('template_budget')
    expect(text('{{ long | replace: "a", "aaaaaaaaaa" | size }}')).toStartWith('template_budget')
    expect(
      liquid.renderTemplate(
        '{{ a }}',
        { timezone: 'UTC', language: null, values: { a: 'ä'.repeat(33_000) } },
        'text',
      ),
    ).toMatchObject({ ok: false, problem: 'data_too_large' })
  })
})

describe('an expression', () => {
  test.each([
    ["contact.language == 'de' and order.total > 50", true],
    ["contact.language == 'de' and not (order.total > 50)", false],
    ["not contact.language == 'en'", true],
    ['order.total >= 60 and order.total <= 60 and order.total != 61', true],
    ["message.text contains '4711'", true],
    ["message.text starts_with 'Order' and message.text ends_with '🙏'", true],
    ["(message.text | downcase) starts_with 'order'", true],
    ["message.text | starts_with: 'Order'", true],
    ['(order.price | number) > 12', true],
    ['missing', false],
    ['missing == nil and missing == blank and nothing == empty', true],
    ['missing > 3', false],
    ['order.items.size == 2', true],
    ['order.items.constructor', false],
    ["message.text matches '^Order [0-9]{4},'", true],
    ["(message.text | matches: 'ORDER') or missing matches 'x'", false],
  ])('%p is %p', (source, expected) => {
    expect(liquid.expressionProblem(source)).toBeNull()
    expect(holds(source)).toBe(expected)
  })

  test('is false where types do not fit, with a note', () => {
    expect(liquid.evaluateCondition('order.price > 10', data)).toEqual({
      value: false,
      notes: ['Compared a text with a number.'],
    })
    expect(liquid.evaluateCondition('order contains 3', data).notes).toEqual([
      'Searched in an object.',
    ])
  })

  test.each([
    'a ==',
    '== a',
    'a b',
    '(a',
    'a)',
    'a and',
    '',
    'a | nope',
    'a,b',
    '{{ a }}',
    "a matches '('",
    "a | matches: '(?=x)'",
  ])('%p does not compile', (source) => {
    expect(liquid.expressionProblem(source)).not.toBeNull()
    expect(holds(source)).toBe(false)
  })
})

describe('nothing hostile gets through', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'valueOf', 'toString', '__defineGetter__']
  const roots = [
    'contact',
    'order.items',
    '"x"',
    'empty',
    'blank',
    'nil',
    'true',
    'many',
    'forloop',
  ]

  test('no path reaches a prototype, a function or a global', () => {
    const path = fc
      .tuple(
        fc.constantFrom(...roots, ...names),
        fc.array(fc.constantFrom(...names), { maxLength: 4 }),
      )
      .filter(([root, rest]) => names.includes(root) || rest.length > 0)
      .map(([root, rest]) => rest.reduce((from, name) => `${from}["${name}"]`, root))
    fc.assert(
      fc.property(path, (reached) => {
        expect(text(`{% for n in many limit: 1 %}[{{ ${reached} }}]{% endfor %}`)).toBe('[]')
      }),
      { numRuns: 300 },
    )
    for (const name of ['globalThis', 'process', 'Bun', 'require', 'this', 'liquid', 'filters'])
      expect(text(`{{ ${name} }}`)).toBe('')
  })

  test('data that looks like a prototype is data', () => {
    const values = JSON.parse('{"a":{"__proto__":{"x":"y"},"constructor":"c"}}') as Record<
      string,
      unknown
    >
    const rendered = liquid.renderTemplate(
      '{{ a.constructor }}{{ a.__proto__.x }}{{ b.x }}',
      { timezone: 'UTC', language: null, values },
      'text',
    )
    expect(rendered).toMatchObject({ ok: true, text: 'cy' })
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  /** Processor time of the best of several runs, in milliseconds. */
  const costMs = (run: () => void): number =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const before = process.cpuUsage()
        run()
        const { user, system } = process.cpuUsage(before)
        return (user + system) / 1_000
      }),
    )
  const heavy: TemplateData = {
    timezone: 'Europe/Berlin',
    language: 'fr',
    values: {
      a: 'a'.repeat(60_000),
      s: ' '.repeat(2_000),
      l: Array.from({ length: 1_500 }, () => 'a'),
      now: '2026-11-23T20:00:00.000Z',
      deep: JSON.parse(`${'{"a":['.repeat(500)}1${']}'.repeat(500)}`) as unknown,
    },
  }
  const fill = (part: string): string => part.repeat(Math.floor(8_000 / part.length))
  const loops = (body: string): string => `{% for i in l %}${body}{% endfor %}`

  test.each([
    ['empty loop bodies (CVE-2026-44645)', fill('{% for i in l %}{% endfor %}')],
    ['widths of dates (CVE-2026-45357)', '{{ now | date: "%9999999d" }}'],
    ['a long replacement', `{{ a | replace: "a", "${'b'.repeat(4_000)}" | size }}`],
    ['searches that almost match', `{{ a | split: "${'a'.repeat(255)}b" | size }}`.repeat(20)],
    ['many comparisons of long texts', fill('{% if a contains "aaaaaaaab" %}{% endif %}')],
    ['many blanks', fill('{% if s == blank %}{% endif %}')],
    ['a case of blanks', `{% case s %}${fill('{% when blank %}')}{% endcase %}`],
    ['a case of lists', `{% case l %}${fill('{% when l %}')}{% endcase %}`],
    ['joined lists', fill('{{ l | join: "a" | size }}')],
    ['split and joined', `{{ a${' | split: "" | join: ""'.repeat(100)} | size }}`],
    ['upper and lower case', `{{ a${fill(' | upcase | downcase')} | size }}`],
    ['JSON of everything', fill('{{ l | json | size }}')],
    ['many outputs in a loop', loops(fill('{{ i }}').slice(0, 7_000))],
    ['many dates in a loop', loops('{{ now | date: "%A %B %d %Y %H %M %S" }}'.repeat(100))],
    ['much money in a loop', loops('{{ 1234567.891 | money: "EUR" }}'.repeat(100))],
    ['long numbers', fill('{{ 1234567.891 | number: 10 }}')],
    ['sorted lists', fill('{{ l | sort | size }}')],
    ['long texts sorted', '{{ a | split: "" | sort | size }}'.repeat(200)],
    ['mapped lists', fill('{{ l | map: "a.b.c.d" | size }}')],
    ['chosen of lists', fill('{{ l | where: "a", "b" | size }}')],
    ['deep values', '{{ deep }}'.repeat(500)],
    ['loops in loops', loops(loops(loops('{{ i }}')))],
    ['many ranges', fill('{{ (1..1900) | size }}')],
    ['long chains of conditions', `{% if ${fill('a == a and ')} a %}x{% endif %}`],
    ['deep properties', `{{ a${fill('.b')} }}`],
    ['brackets that never close', `{{ ${fill('a[')} }}`],
    ['quotes that never close', fill('{{ "')],
    ['tags that never close', fill('{% if ')],
    ['many filters with many arguments', `{{ a | default: ${fill('a,')} a }}`],
    ['a hostile pattern', `{{ a | matches: '${'([a-z]?){24}[0-9]'}' }}`.repeat(200)],
    [
      'many patterns',
      Array.from({ length: 200 }, (_, n) => `{{ a | matches: 'x{${n}}' }}`).join(''),
    ],
    ['white space', `{{${' '.repeat(8_000)}}}`],
  ])('%s: the thread is held for less than 5 ms', (_, source) => {
    liquid.renderTemplate(source, heavy, 'text')
    expect(costMs(() => void liquid.renderTemplate(source, heavy, 'json'))).toBeLessThan(5)
    expect(
      costMs(() => void new LiquidTemplates().renderTemplate(source, heavy, 'text')),
    ).toBeLessThan(20)
  })

  test('whatever is written gives a text or a reason', () => {
    const word = fc.constantFrom(
      ...['{{', '}}', '{%', '%}', 'if', 'endif', 'for', 'endfor', 'case', 'when', 'endcase', 'in'],
      ...[
        'a',
        'l',
        '.',
        '[',
        ']',
        '(',
        ')',
        '..',
        '|',
        ':',
        ',',
        '"',
        "'",
        '==',
        'and',
        'not',
        '1',
      ],
      ...['split', 'join', 'json', 'date', 'blank', 'empty', '%', '-', '\n', '🙏', '\u202e'],
    )
    const source = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(source, fc.constantFrom('text', 'url', 'json', 'header'), (written, place) => {
        const result = liquid.renderTemplate(written, data, place)
        expect(result.ok ? result.text.length <= 4_096 : result.message.length < 300).toBe(true)
        liquid.evaluateCondition(written, data)
      }),
      { numRuns: 2_000 },
    )
  })
})
