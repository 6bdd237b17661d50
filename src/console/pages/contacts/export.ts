import { useEffect, useRef } from 'react'

import { callOnce } from '../../api/call-once'
import type { Body } from '../../api/client'
import { saveFile } from '../../api/save-file'
import { useLine } from '../../live/line'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

type Selection = Pick<Body<'POST /api/export'>, 'contact_ids' | 'filter' | 'segment_id'> & {
  search?: string | undefined
}

/** The columns of a table of contacts, as an export names them. */
const EXPORTED: Record<string, string> = {
  name: 'display_name',
  number: 'phone_number',
  owner: 'assigned_user',
  consent: 'marketing_consent',
}

/** Returns how contacts are exported: the file is saved on the device as soon as it is written. */
export function useExport(): (selection: Selection, columns: readonly string[]) => void {
  const { listen } = useLine()
  const waiting = useRef(new Set<string>())
  useEffect(
    () =>
      listen(({ type, payload }) => {
        if (type !== 'notification:new') return
        const id = /^\/exports\/([0-9a-f-]{36})$/.exec(String(payload['link']))?.[1]
        if (id === undefined || !waiting.current.delete(id)) return
        saveFile('GET /api/exports/{id}/download', { params: { id } }, 'contacts.csv').catch(report)
      }),
    [listen],
  )
  return ({ search, segment_id: segmentId, ...selection }, columns) => {
    callOnce('POST /api/export', {
      body: {
        table: 'contacts',
        columns: columns.map((id) => EXPORTED[id] ?? id),
        ...selection,
        ...(segmentId === undefined ? {} : { segment_id: segmentId }),
        ...(search === undefined ? {} : { filters: { search } }),
      },
    })
      .then(({ id }) => {
        waiting.current.add(id)
        notify(t('contacts.bulk.exporting'))
      })
      .catch(report)
  }
}
