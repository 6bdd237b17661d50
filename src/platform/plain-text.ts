import { isObject, listOf, numberOf, objectOf, wordOf, type JsonObject } from './lenient-json'

type Lines = (string | null)[]

const READERS: Readonly<Record<string, (content: JsonObject) => Lines>> = {
  text: ({ text }) => [wordOf(text)],
  image: ({ caption }) => [wordOf(caption)],
  video: ({ caption }) => [wordOf(caption)],
  document: ({ caption }) => [wordOf(caption)],
  location: ({ name, address, url }) => [wordOf(name), wordOf(address), wordOf(url)],
  contacts: ({ contacts }) => listOf(contacts).flatMap((card) => linesOfCard(objectOf(card))),
  interactive: linesOfInteractive,
  template: linesOfTemplate,
  order: linesOfOrder,
  system: ({ text }) => [wordOf(text)],
}

/**
 * Returns all text of a message as plain text lines. Empty for a message without text, such as a
 * photo without a caption.
 */
export function plainTextOf(type: string, content: object): string {
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  const lines = read && isObject(content) ? read(content) : []
  return lines.filter((line) => line !== null && line !== '').join('\n')
}

function linesOfCard({ name, phones, emails, org }: JsonObject): Lines {
  const numbers = listOf(phones).map(
    (phone) => wordOf(objectOf(phone).phone) ?? wordOf(objectOf(phone).wa_id),
  )
  const addresses = listOf(emails).map((email) => wordOf(objectOf(email).email))
  return [
    wordOf(objectOf(name).formatted_name),
    wordOf(objectOf(org).company),
    ...numbers,
    ...addresses,
  ]
}

/** Returns the header of an interactive message; for a file, its name. */
const headerOf = (header: unknown): Lines => {
  const { filename, name, address } = objectOf(header)
  return [wordOf(header), wordOf(filename), wordOf(name), wordOf(address)]
}

const bodyOf = (body: unknown): string | null => wordOf(body) ?? wordOf(objectOf(body).text)

const inBrackets = (text: string | null): string | null => (text === null ? null : `[${text}]`)

const buttonsOf = (buttons: unknown): Lines =>
  listOf(buttons).map((button) =>
    inBrackets(wordOf(objectOf(button).title) ?? wordOf(objectOf(button).text)),
  )

function linesOfInteractive(content: JsonObject): Lines {
  const {
    header,
    body,
    footer,
    title,
    description,
    buttons,
    button_text: button,
    sections,
    url,
    data,
  } = content
  return [
    ...headerOf(header),
    wordOf(title),
    wordOf(description),
    bodyOf(body),
    wordOf(footer),
    ...buttonsOf(buttons),
    inBrackets(wordOf(button)),
    wordOf(url),
    ...listOf(sections).flatMap((section) => linesOfSection(objectOf(section))),
    wordOf(content.product_retailer_id),
    ...listOf(content.product_retailer_ids).map(wordOf),
    ...listOf(content.cards).flatMap((card) => linesOfInteractive(objectOf(card))),
    wordOf(content.reference_id),
    wordOf(content.order_status),
    ...linesOfDetails(objectOf(content.parameters)),
    ...Object.entries(objectOf(data)).map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
  ]
}

/** Returns the reference and the items of an order that the customer pays. */
const linesOfDetails = ({ reference_id: reference, order }: JsonObject): Lines => [
  wordOf(reference),
  ...listOf(objectOf(order).items).map((item) => {
    const [name, quantity] = [wordOf(objectOf(item).name), numberOf(objectOf(item).quantity)]
    return name === null ? null : `${quantity === null ? '' : `${quantity} × `}${name}`
  }),
]

function linesOfSection({ title, rows, product_retailer_ids: products }: JsonObject): Lines {
  const rowLines = listOf(rows).map((row) => {
    const [name, details] = [wordOf(objectOf(row).title), wordOf(objectOf(row).description)]
    return name === null ? null : `- ${details === null ? name : `${name}: ${details}`}`
  })
  return [
    wordOf(title),
    ...rowLines,
    ...listOf(products).map((product) =>
      wordOf(product) === null ? null : `- ${wordOf(product)}`,
    ),
  ]
}

function linesOfTemplate({ header, body, footer, buttons, cards }: JsonObject): Lines {
  const parts = [...headerOf(header), bodyOf(body), wordOf(footer), ...buttonsOf(buttons)]
  return [
    ...parts,
    ...listOf(cards).flatMap((card) => linesOfTemplate({ ...objectOf(card), cards: [] })),
  ]
}

function linesOfOrder({ text, items, total, currency }: JsonObject): Lines {
  const lines = listOf(items).map((item) => {
    const {
      product_retailer_id: product,
      quantity,
      item_price: price,
      currency: unit,
    } = objectOf(item)
    const count = numberOf(quantity)
    const cost =
      numberOf(price) === null ? '' : ` at ${numberOf(price)} ${wordOf(unit) ?? ''}`.trimEnd()
    return `${count === null ? '' : `${count} × `}${wordOf(product) ?? '?'}${cost}`
  })
  return [
    wordOf(text),
    ...lines,
    numberOf(total) === null
      ? null
      : `Total: ${numberOf(total)} ${wordOf(currency) ?? ''}`.trimEnd(),
  ]
}
