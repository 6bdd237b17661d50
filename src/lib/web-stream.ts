import { Readable } from 'node:stream'

/** A stream of bytes as an answer takes it. */
export const webStream = (stream: Readable): ReadableStream<Uint8Array> => Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array> // the types of Node and of the web name the same thing twice
