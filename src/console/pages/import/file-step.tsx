import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'

import { useApi } from '../../live/query'
import { TextArea } from '../../parts/field'
import { Item, ItemList } from '../../parts/item-list'
import { sentenceOf, Trouble } from '../../parts/state'
import { Upload } from '../../parts/upload'
import { formatDateTime, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { fileForServer, fileOfText } from './file'
import { stateOf } from './state'

interface Props {
  /** The name of the file that was chosen. */
  name: string | null
  maxBytes: number
  /** Shows a file to the server. */
  onFile: (file: File, signal: AbortSignal) => Promise<void>
}

/** A file is dropped, chosen or pasted. */
export function FileStep({ name, maxBytes, onFile }: Props) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const sending = useRef<AbortController | null>(null)
  const send = (make: () => File | Promise<File>): void => {
    const abort = new AbortController()
    sending.current = abort
    setBusy(true)
    setError(null)
    Promise.resolve()
      .then(make)
      .then((file) => onFile(file, abort.signal))
      .catch((problem: unknown) => {
        if (!abort.signal.aborted) setError(problem)
      })
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <>
      <Upload
        label={t('import.step.file')}
        hint={t('import.file.hint')}
        accept=".csv,.tsv,.txt,.xlsx,.json"
        maxBytes={maxBytes}
        isBusy={isBusy}
        onFile={(file) => {
          send(() => fileForServer(file))
        }}
        onCancel={() => sending.current?.abort()}
      />
      {error !== null && <Trouble>{wordsOf(error)}</Trouble>}
      {name !== null && <p>{t('import.file.chosen', { name })}</p>}
      <TextArea
        label={t('import.file.paste')}
        rows={3}
        value=""
        onChange={(text) => {
          // rows have at least two lines; less is no table yet
          if (text.trim().includes('\n') || text.trimStart().startsWith('['))
            send(() => fileOfText(text))
        }}
      />
      <Past />
    </>
  )
}

/** What is wrong with a file, in words of the page or of the server. */
const wordsOf = (error: unknown): string =>
  error instanceof Error && error.constructor === Error ? error.message : sentenceOf(error)

/** The imports of the last time. */
function Past() {
  const { data } = useApi('GET /api/imports', { query: { limit: 10 } })
  const items = data?.items.filter(({ table }) => table === 'contacts') ?? []
  if (items.length === 0) return null
  return (
    <>
      <h3>{t('import.past')}</h3>
      <ItemList label={t('import.past')}>
        {items.map((one) => (
          <Item
            key={one.id}
            name={one.filename}
            link={
              <Link to="/contacts/import/$importId" params={{ importId: one.id }}>
                <bdi>{one.filename}</bdi>
              </Link>
            }
            hint={`${stateOf(one)} · ${formatNumber(one.rows_total)} · ${formatDateTime(one.created_at)}`}
          />
        ))}
      </ItemList>
    </>
  )
}
