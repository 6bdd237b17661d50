import type { PhoneButton, PhoneHeader, PhoneMessage } from '../../../parts/phone/message'
import { isObject, objectsIn, textIn } from './graph'
import type { Choice } from './outcomes'

/** A message of the bot as a customer sees it, and what can be tapped in it, in order. */
export interface Reply {
  message: PhoneMessage
  choices: readonly Choice[]
  /** The form that the message opens. */
  formId: string | null
}

type Loose = Record<string, unknown>

const plain = (body: string): PhoneMessage => ({ header: null, body, footer: '', buttons: [] })

const FILES = new Set(['image', 'video', 'document'])

function headerIn(value: unknown): PhoneHeader | null {
  if (typeof value === 'string' && value !== '') return { kind: 'text', text: value }
  if (!isObject(value)) return null
  const kind = textIn(value['type'])
  return kind === 'image' || kind === 'video' || kind === 'document'
    ? { kind, file: textIn(value['media_url']) || null }
    : null
}

/** What is on the button of a message that has a single one. */
const SINGLE: Readonly<Record<string, PhoneButton['kind']>> = {
  cta_url: 'link',
  flow: 'form',
  product: 'products',
  product_list: 'products',
  catalog: 'products',
  location_request: 'reply',
  contact_request: 'contact',
}

function ofInteractive(interactive: Loose): Reply {
  const kind = textIn(interactive['type'])
  const rows = objectsIn(interactive['sections']).map((section) => ({
    title: textIn(section['title']),
    rows: objectsIn(section['rows']).map(({ id, title, description }) => ({
      ...{ id: textIn(id), title: textIn(title) },
      description: textIn(description),
    })),
  }))
  const buttons = objectsIn(interactive['buttons']).map(({ id, title }) => ({
    ...{ id: textIn(id), title: textIn(title) },
  }))
  const single = SINGLE[kind]
  return {
    message: {
      ...plain(textIn(interactive['body'])),
      header: headerIn(interactive['header']),
      footer: textIn(interactive['footer']),
      buttons: [
        ...buttons.map(({ title }): PhoneButton => ({ kind: 'reply', text: title })),
        ...(single ? [{ kind: single, text: textIn(interactive['button_text']) }] : []),
      ],
      list: kind === 'list' ? { button: textIn(interactive['button_text']), sections: rows } : null,
    },
    choices: [...buttons, ...rows.flatMap((section) => section.rows)].map(({ id, title }) => ({
      id,
      title,
    })),
    formId: kind === 'flow' ? textIn(interactive['flow_id']) : null,
  }
}

/** Reads a message that a preview would send. */
export function readReply(message: Loose): Reply {
  const type = textIn(message['type'])
  if (type === 'interactive' && isObject(message['interactive']))
    return ofInteractive(message['interactive'])
  const text = textIn(message['text']) || textIn(message['caption'])
  const id = textIn(message['media_id'])
  const isFile = FILES.has(type)
  return {
    message: {
      ...plain(text),
      header: isFile
        ? { kind: type as 'image', file: id === NO_FILE || id === '' ? null : `/api/media/${id}` }
        : null,
    },
    choices: [],
    formId: null,
  }
}

/** Stands for a file that a preview does not fetch. */
const NO_FILE = '00000000-0000-0000-0000-000000000000'
