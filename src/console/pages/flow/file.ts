import { call } from '../../api/client'
import { download } from '../../api/save-file'
import { writeFlow } from './model/file'

/** The largest file of a flow. */
export const MOST_BYTES = 512 * 1_024

/** Saves a flow as a file on the device. */
export async function exportFlow(id: string): Promise<void> {
  const flow = await call('GET /api/chatbot/flows/{id}', { params: { id } })
  const name = flow.name.replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, ' ').trim()
  const file = new Blob([writeFlow(flow)], { type: 'application/json' })
  download(file, `${name}.flow.json`)
}
