import type { Readable } from 'node:stream'

import type { SaxesParser, SaxesTagPlain } from 'saxes'
import type { Entry, ZipFile } from 'yauzl'

import { GrowthCollector } from '../../../../infra/gc'
import { cellTooLong, fileLimitError, invalidFileError } from '../../../../infra/sheets/row'
import { yieldToEventLoop } from '../../../../infra/event-loop'

/** Maximum unpacked size of one part, bytes. Small files can unpack to any size. */
const MAX_PART = 256 * 1_024 * 1_024

/** Maximum unpacked size of a part with links, sheets or formats, bytes. */
const MAX_GUIDE = 16 * 1_024 * 1_024

/**
 * Number of characters parsed before yielding: about a hundred cells, each of which may refer to
 * the longest text.
 */
const PIECE = 2 * 1_024

/**
 * Maximum length of a tag with its attributes, a text or a comment, characters. The parser holds
 * each in memory.
 */
const MAX_TOKEN_LENGTH = 512 * 1_024

/** Maximum depth of nested elements. Spreadsheets have about ten levels. */
const DEEPEST = 64

type Attributes = Record<string, string>

/** Handlers for the elements of an XML part. Names have no namespace prefix. */
export interface XmlListener {
  opens?: (name: string, attributes: Attributes) => void
  text?: (text: string) => void
  closes?: (name: string) => void
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

const damaged = (): Error =>
  invalidFileError('malformed_xlsx', 'is damaged and cannot be read as XLSX')

const tooLarge = (): Error => fileLimitError('too_large_unpacked', 'is too large when unpacked')

/** Reads a whole XML part with links, sheets or formats. Throws like {@link parseXml}. */
export async function readGuide(zip: ZipFile, part: Entry, listener: XmlListener): Promise<void> {
  if (part.uncompressedSize > MAX_GUIDE) throw tooLarge()
  for await (const _ of parseXml(zip, part, listener)) await yieldToEventLoop()
}

/**
 * Parses an XML part in chunks and yields to the caller after each. Throws AppError 413 for a part
 * that is too large, and InvalidError for an element that is nested too deeply or has a tag or text
 * that is too long.
 */
export async function* parseXml(
  zip: ZipFile,
  part: Entry,
  listener: XmlListener,
): AsyncGenerator<void> {
  if (part.uncompressedSize > MAX_PART) throw tooLarge()
  const progress = { hasToken: false }
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser()
  prepare(parser, listener, progress)
  const sweeper = new GrowthCollector()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const stream: Readable = await zip.openReadStreamPromise(part)
  let sinceToken = 0
  for await (const bytes of stream as AsyncIterable<Uint8Array>) {
    const text = decoder.decode(bytes, { stream: true })
    for (let from = 0; from < text.length; from += PIECE) {
      progress.hasToken = false
      parser.write(text.slice(from, from + PIECE))
      sinceToken = progress.hasToken ? 0 : sinceToken + PIECE
      if (sinceToken > MAX_TOKEN_LENGTH) throw cellTooLong()
      sweeper.collectIfGrown() // the parser makes several objects for each tag
      yield
    }
  }
  parser.close()
}

/** Lets a parser call the listener, and set `progress` when a token is complete. */
function prepare(
  parser: SaxesParser,
  listener: XmlListener,
  progress: { hasToken: boolean },
): void {
  let depth = 0
  const hear = (text: string): void => {
    progress.hasToken = true
    listener.text?.(text)
  }
  parser.on('opentag', (tag: SaxesTagPlain) => {
    progress.hasToken = true
    depth += 1
    if (depth > DEEPEST) throw damaged()
    listener.opens?.(localName(tag.name), tag.attributes)
  })
  parser.on('text', hear)
  parser.on('cdata', hear)
  parser.on('closetag', (tag) => {
    progress.hasToken = true
    depth -= 1
    listener.closes?.(localName(tag.name))
  })
  parser.on('comment', () => void (progress.hasToken = true))
  parser.on('processinginstruction', () => void (progress.hasToken = true))
  parser.on('doctype', () => {
    throw damaged() // the format has none (ECMA-376, part 2)
  })
}
