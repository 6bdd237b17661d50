import { beforeAll, describe, expect, test } from 'bun:test'

import type { Contact, Template } from '../../../src/console/api/shapes'
import { withButtons } from '../../../src/console/pages/templates/cards'
import {
  changesOf,
  componentsOf,
  contentOf,
  newTemplateOf,
  pathsOf,
  pathsOfCard,
} from '../../../src/console/pages/templates/content'
import { EMPTY_BUTTON, EMPTY_FORM } from '../../../src/console/pages/templates/form'
import { problemSentence } from '../../../src/console/pages/templates/problem-words'
import { atFields, placeOf } from '../../../src/console/pages/templates/problems'
import { formOf } from '../../../src/console/pages/templates/read-form'
import {
  exampleValues,
  shownFor,
  variablesOf,
} from '../../../src/console/pages/templates/shown-values'
import { messageOf } from '../../../src/console/parts/phone/message'
import { isReadyWith, paramsOf } from '../../../src/console/parts/template/values'
import { loadLateTexts } from '../../../src/console/texts/texts'
import { TEMPLATE_KINDS, type TemplateKind } from '../../support/template-kinds'

type Loose = Record<string, unknown>

beforeAll(loadLateTexts)

/** Returns the examples that the server lists of a text. */
function samplesOf(components: readonly Loose[], card: number | null = null): Loose[] {
  return components.flatMap((part) => {
    const cards = (part['cards'] ?? []) as { components: Loose[] }[]
    const example = (part['example'] ?? {}) as Record<string, unknown>
    const component = String(part['type'])
    const word = component.toLowerCase()
    const named = (example[`${word}_text_named_params`] ?? []) as Loose[]
    const numbered = [example[`${word}_text`] ?? []].flat(2) as string[]
    const own = { component, card, index: null, param_name: null }
    return [
      ...named.map((one) => ({ ...own, param_name: one['param_name'], value: one['example'] })),
      ...numbered.map((value, nth) => ({ ...own, index: nth + 1, value })),
      ...cards.flatMap((one, nth) => samplesOf(one.components, nth)),
    ]
  })
}

const templateOf = ({ category, components }: TemplateKind, more: Loose = {}): Template =>
  ({
    ...{ account_id: 'a', display_name: 'x', language: 'en', category, components },
    ...{ sample_values: samplesOf(components), header_media_id: null },
    ...{ message_send_ttl_seconds: null, creative_opt_out: null, max_price: null, updated_at: '' },
    ...more,
  }) as unknown as Template // what the form reads of it

const kindOf = (name: string): TemplateKind => {
  const kind = TEMPLATE_KINDS.find((one) => one.name === name)
  if (!kind) throw new Error(`no kind ${name}`)
  return kind
}

describe.each(TEMPLATE_KINDS)('the form of a template of the kind $name', (kind) => {
  test('keeps all of it', () => {
    const form = formOf(templateOf(kind))
    expect(componentsOf(form)).toEqual(kind.components)
    expect(contentOf(form).category).toBe(kind.category)
  })

  test('tests it with what its examples say', () => {
    const form = formOf(templateOf(kind))
    if (kind.params === undefined) return
    const variables = [
      ...variablesOf(form),
      ...(kind.name === 'location' ? [beyond('HEADER', 'location')] : []),
      ...(kind.name === 'offer' ? [beyond('LIMITED_TIME_OFFER', 'expires_at')] : []),
    ]
    const values = { ...exampleValues(variables), ...kind.written }
    expect(paramsOf({ variables }, values, null)).toEqual(kind.params as never)
    expect(isReadyWith({ variables }, values, null)).toBe(true)
    // without what people write, nothing is sent
    if (kind.written) expect(isReadyWith({ variables }, exampleValues(variables), null)).toBe(false)
  })
})

const beyond = (component: Template['variables'][number]['component'], key: string) => ({
  ...{ component, key, index: null, card: null, required: true, example: null },
})

describe('the form of a template', () => {
  test('keeps how long it is tried, whether WhatsApp may change it, and its highest price', () => {
    const more = { message_send_ttl_seconds: 43_200, creative_opt_out: true, max_price: 6_000 }
    const marketing = contentOf(formOf(templateOf(kindOf('catalog'), more)))
    expect(marketing).toMatchObject(more)
    const utility = contentOf(formOf(templateOf(kindOf('words'), more)))
    expect(utility.message_send_ttl_seconds).toBe(43_200)
    // of advertising only
    expect('creative_opt_out' in utility).toBe(false)
    expect('max_price' in utility).toBe(false)
    const seen = formOf(templateOf(kindOf('catalog'), more))
    expect(changesOf({ category: 'UTILITY' }, seen)).toMatchObject({
      ...{ category: 'UTILITY', creative_opt_out: null, max_price: null },
    })
    expect(changesOf({ body: 'Hi' }, seen)).toMatchObject(more)
  })

  test('sends the file that was chosen, and no longer the sample of the one before', () => {
    const form = formOf(templateOf(kindOf('image')))
    const next = { ...form, mediaId: 'm1', headerKept: {} }
    expect(contentOf(next)).toMatchObject({
      ...{ header_media_id: 'm1', components: [{ type: 'HEADER', format: 'IMAGE' }, {}] },
    })
    expect(componentsOf(next)[0]).toEqual({ type: 'HEADER', format: 'IMAGE' })
    // a title has no file
    expect(contentOf({ ...next, header: 'TEXT', headerText: 'Hi' }).header_media_id).toBeNull()
    const carousel = formOf(templateOf(kindOf('carousel')))
    const [first, ...others] = carousel.cards
    if (!first) throw new Error('no card')
    const changed = { ...carousel, cards: [{ ...first, mediaId: 'm2', kept: {} }, ...others] }
    expect(JSON.stringify(componentsOf(changed))).toContain(
      '{"type":"HEADER","format":"IMAGE","media_id":"m2"}',
    )
  })

  test('takes a chosen form in place of one that was named elsewhere', () => {
    const button = { ...EMPTY_BUTTON, type: 'FLOW' as const, text: 'Book' }
    const named = { ...button, kept: { flow_name: 'booking', flow_action: 'navigate' } }
    const buttonsOf = (one: typeof button) => {
      const parts = componentsOf({ ...EMPTY_FORM, buttons: [one] })
      return (parts.at(-1) as { buttons: Loose[] }).buttons[0]
    }
    expect(buttonsOf(named)).toEqual({
      ...{ type: 'FLOW', text: 'Book', flow_name: 'booking', flow_action: 'navigate' },
    })
    expect(buttonsOf({ ...named, flow_id: 'f1' })).toEqual({
      ...{ type: 'FLOW', text: 'Book', flow_id: 'f1', flow_action: 'navigate' },
    })
  })

  test('gives all cards the same buttons, which lead where each card says', () => {
    const { cards } = formOf(templateOf(kindOf('carousel')))
    const [url, more] = cards[0]?.buttons ?? []
    if (!url || !more) throw new Error('no buttons')
    const renamed = withButtons(cards, 0, [{ ...url, text: 'Buy', example: 'x' }, more])
    expect(renamed.map(({ buttons }) => buttons.map(({ text }) => text))).toEqual([
      ['Buy', 'More'],
      ['Buy', 'More'],
    ])
    expect(renamed.map(({ buttons }) => buttons[0]?.example)).toEqual(['x', 'p'])
    const fewer = withButtons(cards, 1, [more])
    expect(fewer.map(({ buttons }) => buttons.map(({ type }) => type))).toEqual([
      ['QUICK_REPLY'],
      ['QUICK_REPLY'],
    ])
  })

  test('forgets apps and terms of a code that is copied', () => {
    const form = formOf(templateOf(kindOf('code_zero_tap')))
    expect(componentsOf({ ...form, codeWay: 'COPY_CODE' }).at(-1)).toEqual({
      ...{ type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    })
    expect(JSON.stringify(componentsOf({ ...form, codeWay: 'ONE_TAP' }))).not.toContain('terms')
  })

  test('names its fields as the server reports problems', () => {
    const words = formOf(templateOf(kindOf('words')))
    expect(pathsOf(words)).toEqual({
      ...{ HEADER: 'components.0', BODY: 'components.1', FOOTER: 'components.2' },
      BUTTONS: 'components.3',
    })
    const [card] = formOf(templateOf(kindOf('carousel'))).cards
    if (!card) throw new Error('no card')
    expect(pathsOfCard('components.1', 0, card)).toEqual({
      ...{ body: 'components.1.cards.0.components.1' },
      buttons: 'components.1.cards.0.components.2',
    })
    expect(pathsOfCard('components.1', 1, { ...card, body: '' }).buttons).toBe(
      'components.1.cards.1.components.1',
    )
  })

  test('says in which part of the message a problem is', () => {
    const offer = formOf(templateOf(kindOf('offer')))
    const places = componentsOf(offer).map((_, nth) =>
      placeOf(`body.components.${nth}.text`, offer),
    )
    expect(places).toEqual(['Name of the offer', 'Text', 'Buttons'])
    const words = formOf(templateOf(kindOf('words')))
    expect(placeOf('body.components.0.text', words)).toBe('Top')
    expect(placeOf('body.message_send_ttl_seconds', words)).toBe('How long WhatsApp tries')
    expect(placeOf('body.components', words)).toBe('Text')
  })

  test('says at a field what is wrong with it, but not that it is empty yet', () => {
    const found = [
      { path: 'body.components.1.text', message: 'must not begin or end with a variable' },
      { path: 'body.components.1.text', message: 'has too many variables for its length: 1' },
      { path: 'body.components.2.text', message: 'must not be empty or blank' },
      { path: 'body.name', message: 'is required' },
    ]
    const said = atFields({ found, isCurrent: true })
    expect(Object.keys(said)).toEqual(['components.1.text'])
    expect(said['components.1.text']).toMatch(/^A text must not begin or end with a variable\. .+/)
  })

  test('begins as something that can be sent', () => {
    const made = newTemplateOf({ ...EMPTY_FORM, accountId: 'a', name: 'Hello', body: 'Hi there' })
    expect(made).toMatchObject({
      ...{ account_id: 'a', name: 'Hello', language: 'en', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'Hi there' }],
    })
  })
})

test('a preview shows what is known about a contact, and the examples of the rest', () => {
  const form = formOf(templateOf(kindOf('words')))
  const contact = { attributes: { order: 99 }, phone_number: null } as unknown as Contact
  const shownTo = (person: Parameters<typeof shownFor>[1]) =>
    messageOf({ ...form, components: componentsOf(form) }, shownFor(form, person))
  expect(shownTo(null).body).toBe('Hello Ana, your order 7 is ready for you.')
  expect(shownTo({ name: 'Tim', contact }).body).toBe('Hello Tim, your order 99 is ready for you.')
  expect(shownTo({ name: null, contact }).header).toEqual({ kind: 'text', text: 'Order 99' })
  const cards = formOf(templateOf(kindOf('carousel')))
  const second = shownFor(cards, { name: 'Tim', contact }).cards?.[1]
  expect(second?.body).toEqual({ 1: 'plum cake' })
})

test('what WhatsApp would refuse is said in words of the console', () => {
  for (const said of [
    'is required for ONE_TAP: the apps that receive the code',
    'must be an Android package name, such as com.example.app',
    'must be the app signature hash of 11 characters',
    "must be true to accept the platform's terms for zero-tap codes",
    'must have its quick replies next to each other',
    'or flow_name or flow_json is required, but only one of them',
    'must have at most 2 buttons of type URL',
    'requires a header with an image or a video',
    'requires one or two buttons',
    'has an example of more than 1024 characters',
    'must be one line',
    'allows a LIMITED_TIME_OFFER only for the category MARKETING',
    'must be a whole number from 30 to 900 for the category AUTHENTICATION',
  ])
    expect(problemSentence(said)).toMatch(/^[A-Z].* .*\.$/)
  expect(problemSentence('must have at most 2 buttons of type URL')).toContain('2')
})
