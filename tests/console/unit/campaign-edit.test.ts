import { describe, expect, test } from 'bun:test'

import { ApiError } from '../../../src/console/api/error'
import type { Campaign, Contact, Template } from '../../../src/console/api/shapes'
import { mappingOf, roleOf } from '../../../src/console/pages/campaign-edit/file-roles'
import {
  changesFor,
  EMPTY_FORM,
  formOf,
  hasMessage,
  hasPeople,
  stepOf,
} from '../../../src/console/pages/campaign-edit/form'
import {
  beyondOf,
  bindColumns,
  keepKnown,
  readSource,
  unboundOf,
  valueFor,
  valuesFor,
  writeSource,
  type Person,
} from '../../../src/console/pages/campaign-edit/sources'
import { nameOfVariable, wordsOf } from '../../../src/console/parts/template/variables'

type Variable = Template['variables'][number]

const variable = (one: Partial<Variable>): Variable => ({
  ...{ component: 'BODY', key: '1', index: null, card: null, required: true, example: null },
  ...one,
})
const templateWith = (...variables: Variable[]) => ({ variables }) as Template

const FIELD = { kind: 'field', value: 'attributes.code', otherwise: '' } as const

const ana: Person = {
  ...{ id: '1', name: 'Ana', columns: { City: 'Rome', Count: 3 } },
  contact: {
    ...{ name: null, profile_name: 'Ana Sol', phone_number: '15550001', language: 'es' },
    attributes: { code: 'C7', vip: true },
  } as unknown as Contact,
}

describe('the source of a variable', () => {
  test('is written as it was read', () => {
    for (const written of [
      'name',
      { field: 'name', default: 'there' },
      { value: 'Sunday' },
      { column: 'City' },
      { column: 'City', default: 'town' },
    ]) {
      const mapping = { '1': written }
      expect(writeSource({}, '1', readSource(mapping, '1'))).toEqual(mapping)
    }
    expect(readSource({ '1': 7, '2': null }, '1').value).toBe('')
    expect(writeSource({ '1': 'name' }, '1', { ...FIELD, value: '' })).toEqual({})
  })

  test('says what a person has, and otherwise something else', () => {
    expect(valueFor({ ...FIELD, value: 'name' }, ana)).toBe('Ana Sol')
    expect(valueFor(FIELD, ana)).toBe('C7')
    expect(valueFor({ ...FIELD, value: 'attributes.vip' }, ana)).toBe('true')
    expect(valueFor({ ...FIELD, value: 'language' }, ana)).toBe('es')
    expect(valueFor({ ...FIELD, value: 'attributes.none', otherwise: 'X' }, ana)).toBe('X')
    expect(valueFor({ kind: 'column', value: 'Count', otherwise: '' }, ana)).toBe('3')
    expect(valueFor({ kind: 'column', value: 'None', otherwise: 'few' }, ana)).toBe('few')
    expect(valueFor({ kind: 'text', value: 'all', otherwise: '' }, null)).toBe('all')
    expect(valueFor({ ...FIELD, otherwise: 'you' }, null)).toBe('you')
  })
})

describe('the variables of a template', () => {
  const template = templateWith(
    variable({ component: 'HEADER', key: 'media' }),
    variable({ component: 'HEADER', key: 'who' }),
    variable({}),
    variable({ component: 'BUTTONS', index: 0 }),
    variable({ component: 'BUTTONS', key: 'payload', index: 1, required: false }),
    variable({ card: 1 }),
    variable({ component: 'LIMITED_TIME_OFFER', key: 'expires_at' }),
  )

  test('have the names of the server; files and payloads are not written', () => {
    expect(wordsOf(template).map(nameOfVariable)).toEqual([
      ...['header.who', '1', 'button.0', 'cards.1.1'],
    ])
    expect(template.variables.map(nameOfVariable)).toContain('offer_expires_at')
    expect(beyondOf(template)).toEqual([])
    expect(beyondOf(templateWith(variable({ component: 'HEADER', key: 'location' })))).toHaveLength(
      1,
    )
  })

  test('lack a source until they have one', () => {
    const mapping = { 'header.who': 'name', '1': { value: '' }, 'button.0': { column: 'City' } }
    expect(unboundOf(template, mapping).map(nameOfVariable)).toEqual(['1', 'cards.1.1'])
    expect(keepKnown(template, { '1': 'name', '2': 'name' })).toEqual({ '1': 'name' })
  })

  test('take the column of their name, unless they have a source', () => {
    const own = { '1': { value: 'you' } }
    expect(bindColumns(template, own, ['1', 'button.0', 'City'])).toEqual({
      ...own,
      'button.0': { column: 'button.0' },
    })
    expect(bindColumns(template, {}, ['1'])).toEqual({ '1': { column: '1' } })
  })

  test('fill the phone of a person', () => {
    const mapping = { 'header.who': 'name', '1': { column: 'City' }, 'cards.1.1': { value: 'hi' } }
    expect(valuesFor(template, mapping, ana)).toMatchObject({
      ...{ header: { who: 'Ana Sol' }, body: { '1': 'Rome' }, buttons: { '0': '' } },
      cards: [{ body: {} }, { body: { '1': 'hi' } }],
    })
  })
})

describe('a campaign that is prepared', () => {
  test('sends only what was changed, its audience in one', () => {
    expect(changesFor({ name: 'New', updated_at: 'x' })).toEqual({ name: 'New' })
    expect(changesFor({ segment_id: null, filter: { all: [] } })).toEqual({
      audience: { segment_id: null, filter: { all: [] }, tag_ids: [] },
    })
  })

  test('shows the tags that a program chose as conditions', () => {
    const audience = { segment_id: null, filter: null, tag_ids: ['a', 'b'], tags_mode: 'any' }
    const made = { audience } as unknown as Campaign
    const has = (value: string[]) => ({ field: 'tags', op: 'in', value })
    expect(formOf(made).filter).toEqual({ all: [has(['a', 'b'])] })
    const strict = { ...audience, tags_mode: 'all', filter: { any: [] } }
    expect(formOf({ audience: strict } as unknown as Campaign).filter).toEqual({
      all: [has(['a']), has(['b']), { any: [] }],
    })
  })

  test('has people and a message', () => {
    expect(hasPeople(EMPTY_FORM, 0)).toBe(false)
    expect(hasPeople(EMPTY_FORM, 1)).toBe(true)
    expect(hasPeople({ ...EMPTY_FORM, filter: {} }, 0)).toBe(true)
    const template = templateWith(variable({}))
    expect(hasMessage(EMPTY_FORM, null)).toBe(false)
    expect(hasMessage(EMPTY_FORM, template)).toBe(false)
    expect(hasMessage({ ...EMPTY_FORM, variable_mapping: { '1': 'name' } }, template)).toBe(true)
  })

  test('leads to the step of the field that the server refused', () => {
    const refused = (path: string) =>
      new ApiError(400, 'invalid_input', '', {
        ...{ retryAfterS: null, requestId: null, details: null },
        fields: [{ path, message: 'is required' }],
      })
    expect(stepOf(refused('body.audience.filter.all.0'))).toBe('who')
    expect(stepOf(refused('body.variable_mapping.1'))).toBe('what')
    expect(stepOf(refused('body.scheduled_at'))).toBe('when')
    expect(stepOf(refused('body.other'))).toBeNull()
    expect(stepOf(new TypeError('offline'))).toBeNull()
  })
})

test('the columns of a file are its number, its name, and values for the message', () => {
  const columns = [
    { header: 'Rufnummer', key: 'phone_number' },
    { header: 'Kunde', key: 'name' },
    { header: 'Code', key: null },
  ]
  expect(roleOf(columns)).toEqual({ phone: 'Rufnummer', name: 'Kunde' })
  expect(roleOf([{ header: 'recipient_name', key: null }]).name).toBe('recipient_name')
  expect(mappingOf(columns, { phone: 'Rufnummer', name: null })).toEqual({
    Rufnummer: 'phone_number',
    Kunde: 'columns.Kunde',
    Code: 'columns.Code',
  })
})
