import { readBody } from './body'
import { readButtons } from './buttons'
import { readHeader } from './header'
import { isObject, listOf, objectOf, wordOf } from '../../../../platform/lenient-json'
import { componentOf, type Button, type Card } from '../../../../platform/templates/components'
import type { TextReading } from './texts'
import { checkDuplicates } from './combinations'

const CARDS = { min: 2, max: 10 } as const

const CARD_TYPES = ['HEADER', 'BODY', 'BUTTONS'] as const

/** Reads the cards of a carousel. Reports cards that differ in structure. */
export function readCards(reading: TextReading, path: string, value: unknown): Card[] {
  const { report } = reading
  const given = listOf(value)
  if (given.length < CARDS.min || given.length > CARDS.max)
    report(path, `must have ${CARDS.min} to ${CARDS.max} cards`)
  const cards = given.map((card, index) =>
    readCard({ ...reading, card: index }, `${path}.${index}.components`, card),
  )
  const [first, ...others] = cards.map(structureOf)
  others.forEach((structure, index) => {
    if (structure !== first)
      report(
        `${path}.${index + 1}`,
        'must have the same header format and the same buttons as the first card',
      )
  })
  return cards
}

function readCard(reading: TextReading, path: string, value: unknown): Card {
  const { report } = reading
  const given = listOf(objectOf(value).components)
  const components = given.flatMap((component, index) => {
    const read = readCardComponent(reading, `${path}.${index}`, component)
    return read ? [read] : []
  })
  const sorted = components.toSorted(
    (a, b) => CARD_TYPES.indexOf(a.type) - CARD_TYPES.indexOf(b.type),
  )
  const header = componentOf(sorted, 'HEADER')
  if (header === undefined || !['IMAGE', 'VIDEO', 'PRODUCT'].includes(header.format))
    report(path, 'requires a header with an image or a video')
  const buttons = componentOf(sorted, 'BUTTONS')?.buttons ?? []
  if (buttons.length < 1 || buttons.length > 2) report(path, 'requires one or two buttons')
  checkDuplicates(report, path, sorted)
  return { components: sorted }
}

function readCardComponent(
  reading: TextReading,
  path: string,
  value: unknown,
): Card['components'][number] | null {
  const component = isObject(value) ? value : {}
  const type = CARD_TYPES.find((known) => known === (wordOf(component.type) ?? '').toUpperCase())
  switch (type) {
    case 'HEADER':
      return readHeader(reading, path, component)
    case 'BODY':
      return readBody(reading, path, component)
    case 'BUTTONS':
      return { type, buttons: readButtons(reading, `${path}.buttons`, component.buttons) }
    default:
      reading.report(`${path}.type`, `must be one of ${CARD_TYPES.join(', ')}`)
      return null
  }
}

/** Returns the structure that must be equal for all cards. */
function structureOf({ components }: Card): string {
  const buttons: readonly Button[] = componentOf(components, 'BUTTONS')?.buttons ?? []
  return JSON.stringify([
    componentOf(components, 'HEADER')?.format,
    componentOf(components, 'BODY') !== undefined,
    buttons.map((button) => [button.type, button.text]),
  ])
}
