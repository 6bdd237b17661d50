import { lockProcess } from './modules/automation/ai/documents/reader/lock-process'
import { openReader } from './modules/automation/ai/documents/reader/open-reader'
import { printDocument } from './modules/automation/ai/documents/reader/print-document'

/**
 * Runs as a process of its own: reads a document from standard input and prints its text, one part
 * a line. Documents come from strangers, and their readers may take any amount of memory and time.
 */
const [kind = ''] = process.argv.slice(-1)
const bytes = new Uint8Array(await Bun.stdin.arrayBuffer())
const read = await openReader(kind)
lockProcess()
await printDocument(() => read(bytes))
