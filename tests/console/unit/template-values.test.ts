import { describe, expect, test } from 'bun:test'

import type { Contact, Template } from '../../../src/console/api/shapes'
import { grouped, withUsed } from '../../../src/console/pages/inbox/composer/recent-templates'
import {
  beyondOf,
  firstValues,
  isComplete,
  isReadyWith,
  paramsOf,
  shownValues,
} from '../../../src/console/parts/template/values'

type Variable = Template['variables'][number]

const variable = (component: Variable['component'], key: string, more = {}): Variable => ({
  ...{ component, key, index: null, card: null, required: true, example: null },
  ...more,
})

describe('the values of a template that is sent by hand', () => {
  const contact = {
    phone_number: '+15550100000',
    language: 'de',
    attributes: { town: 'Bremen', orders: 3 },
  } as unknown as Contact // what is read of it
  const components = [{ type: 'BODY', text: 'Hello {{name}}, see you in {{town}}.' }]

  test('begin with what is known about the customer under their names', () => {
    const variables = ['name', 'town', 'orders', 'phone', 'language', 'weekday'].map((key) =>
      variable('BODY', key),
    )
    expect(firstValues({ components, variables }, 'Ana', contact)).toEqual({
      ...{ name: 'Ana', town: 'Bremen', orders: '3', phone: '+15550100000', language: 'de' },
    })
    expect(firstValues({ components, variables }, null, null)).toEqual({})
    const masked = { ...contact, phone_number: '+1555***0000' } as Contact
    expect(firstValues({ components, variables }, 'Ana', masked)['phone']).toBeUndefined()
  })

  test('are sent with a place, a file, the end of an offer and cards', () => {
    const variables = [
      variable('HEADER', 'location'),
      variable('BODY', '1'),
      variable('BUTTONS', 'url', { index: 1 }),
      variable('LIMITED_TIME_OFFER', 'expires_at'),
      variable('BODY', 'cake', { card: 1 }),
    ]
    const values = {
      ...{ 'header.name': 'Shop', 'header.latitude': '52.5', 'header.longitude': '13.4' },
      ...{ '1': 'Ana', 'button.1': 'x', 'cards.1.cake': 'Lemon' },
      offer_expires_at: '2026-12-01T00:00:00.000Z',
    }
    const card = { template_params: {}, header_params: {}, button_params: {} }
    expect(paramsOf({ variables }, values, 'file')).toEqual({
      template_params: { '1': 'Ana' },
      header_params: { name: 'Shop', latitude: '52.5', longitude: '13.4' },
      button_params: { '1': 'x' },
      header_media_id: 'file',
      offer_expires_at: '2026-12-01T00:00:00.000Z',
      cards: [card, { ...card, template_params: { cake: 'Lemon' } }],
    })
    expect(isComplete({ variables }, values, null)).toBe(true)
    expect(isComplete({ variables }, { ...values, 'header.latitude': 'north' }, null)).toBe(false)
    expect(isComplete({ variables: [variable('HEADER', 'media')] }, {}, null)).toBe(false)
    expect(isComplete({ variables: [variable('HEADER', 'media')] }, {}, 'file')).toBe(true)
  })

  test('are sent with a file for each card whose sample only WhatsApp has', () => {
    const template = {
      variables: [
        variable('HEADER', 'media', { card: 0 }),
        variable('HEADER', 'media', { card: 1, required: false }),
      ],
    }
    expect(beyondOf(template)).toEqual([])
    expect(isReadyWith(template, {}, null)).toBe(false)
    const values = { 'cards.0.header.media': 'file' }
    expect(isReadyWith(template, values, null)).toBe(true)
    const card = { template_params: {}, header_params: {}, button_params: {} }
    expect(paramsOf(template, values, null).cards).toEqual([
      { ...card, header_media_id: 'file' },
      card,
    ])
    const params = paramsOf(template, values, null)
    expect(shownValues(params, null).cards?.map(({ mediaId }) => mediaId)).toEqual(['file', null])
  })

  test('are left to programs where they are lists of products', () => {
    const variables = [variable('BUTTONS', 'products', { index: 0 }), variable('HEADER', 'media')]
    expect(beyondOf({ variables }).map(({ key }) => key)).toEqual(['products'])
  })
})

describe('the templates that a person used last', () => {
  test('come first in their order, and the others by when anybody used them', () => {
    const used = (id: string, at: string | null) => ({ id, usage: { last_sent_at: at } })
    const items = [used('a', null), used('b', '2026-01-01'), used('c', '2026-02-01')]
    const { recent, others } = grouped(items, ['gone', 'a'])
    expect(recent.map(({ id }) => id)).toEqual(['a'])
    expect(others.map(({ id }) => id)).toEqual(['c', 'b'])
  })

  test('are remembered once each, and only some', () => {
    expect(withUsed(['a', 'b'], 'b')).toEqual(['b', 'a'])
    expect(withUsed(['1', '2', '3', '4', '5', '6', '7', '8'], '9')).toHaveLength(8)
  })
})
