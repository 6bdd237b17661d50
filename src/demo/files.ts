import bike from './files/bike.jpg' with { type: 'file' }
import bread from './files/bread.jpg' with { type: 'file' }
import cake from './files/cake.jpg' with { type: 'file' }
import menu from './files/menu.pdf' with { type: 'file' }
import noise from './files/noise.ogg' with { type: 'file' }
import order from './files/order.ogg' with { type: 'file' }
import quote from './files/quote.pdf' with { type: 'file' }
import wheel from './files/wheel.jpg' with { type: 'file' }

const PATHS = {
  'bike.jpg': bike,
  'bread.jpg': bread,
  'cake.jpg': cake,
  'wheel.jpg': wheel,
  'noise.ogg': noise,
  'order.ogg': order,
  'menu.pdf': menu,
  'quote.pdf': quote,
}

/** A file that people of the demo send. All of them were made for it. */
export type FileName = keyof typeof PATHS

const KINDS = {
  jpg: { type: 'image', mime: 'image/jpeg' },
  ogg: { type: 'audio', mime: 'audio/ogg; codecs=opus' },
  pdf: { type: 'document', mime: 'application/pdf' },
} as const

/** Returns the kind of message that carries a file, and its media type. */
export const kindOf = (name: FileName): (typeof KINDS)[keyof typeof KINDS] =>
  KINDS[name.slice(-3) as keyof typeof KINDS]

/** Reads a file. */
export const bytesOf = (name: FileName): Promise<Uint8Array<ArrayBuffer>> =>
  Bun.file(PATHS[name]).bytes()
