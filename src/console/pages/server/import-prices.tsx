import { useState } from 'react'

import { call, type Data } from '../../api/client'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { TextField } from '../../parts/field'
import { sentenceOf, Trouble } from '../../parts/state'
import { notify } from '../../parts/toast'
import { Upload } from '../../parts/upload'
import { useFileUpload } from '../../parts/use-file-upload'
import { t } from '../../texts/texts'
import { PriceTable } from './price-table'
import { useRefresh } from '../../live/use-refresh'

type Result = Data<'POST /api/prices/import'>

const MAX_BYTES = 4 * 1024 * 1024

const formOf = (file: File, from: string, isDryRun: boolean): FormData => {
  const form = new FormData()
  form.set('dry_run', String(isDryRun))
  if (from !== '') form.set('effective_from', from)
  form.set('file', file)
  return form
}

/** Reads a price list, shows what it would change, and then changes it. */
export function ImportPrices({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [from, setFrom] = useState('')
  const [seen, setSeen] = useState<Result | null>(null)
  const upload = useFileUpload()
  const changed = useRefresh('GET /api/prices')
  const read = (chosen: File): void => {
    setFile(chosen)
    setSeen(null)
    upload.run(async (signal) => {
      const body = formOf(chosen, from, true)
      setSeen(await call('POST /api/prices/import', { body, signal }))
    })
  }
  const count = seen === null ? 0 : seen.imported + seen.replaced
  const write = (): void => {
    if (file === null) return
    upload.run(async (signal) => {
      const body = formOf(file, from, false)
      const { imported, replaced } = await call('POST /api/prices/import', { body, signal })
      notify(t('server.prices.done', { count: imported + replaced }))
      onClose()
      await changed()
    })
  }
  return (
    <Dialog title={t('server.prices.import')} size="large" isOpen onClose={onClose}>
      <p>{t('server.prices.import-hint')}</p>
      <TextField
        label={t('server.prices.effective')}
        hint={t('server.prices.effective-hint')}
        value={from}
        onChange={setFrom}
        placeholder="2026-10-01"
        maxLength={10}
      />
      <Upload
        label={t('server.prices.file')}
        hint={t('server.prices.file-hint')}
        accept=".csv,text/csv"
        maxBytes={MAX_BYTES}
        isBusy={upload.isBusy}
        onFile={read}
        onCancel={upload.cancel}
      />
      {upload.error !== null && <Trouble>{sentenceOf(upload.error)}</Trouble>}
      {seen && <Preview result={seen} />}
      <footer className="actions">
        <Button onPress={onClose}>{t('parts.action.cancel')}</Button>
        <Button look="primary" isDisabled={count === 0} isPending={upload.isBusy} onPress={write}>
          {count === 0 ? t('server.prices.write-none') : t('server.prices.write', { count })}
        </Button>
      </footer>
    </Dialog>
  )
}

/** Rows with errors that are shown; the answer has all. */
const MOST_INVALID = 20

function Preview({ result: { imported, replaced, invalid, sample = [] } }: { result: Result }) {
  return (
    <section className="price-preview" aria-label={t('server.prices.preview')}>
      <p role="status">{t('server.prices.counts', { imported, replaced })}</p>
      {invalid.length > 0 && (
        <>
          <p>
            <b>{t('server.prices.invalid', { count: invalid.length })}</b>
          </p>
          <ul className="attempts">
            {invalid.slice(0, MOST_INVALID).map(({ row, reason }) => (
              <li key={`${row} ${reason}`} dir="auto">
                {t('server.prices.invalid-row', { row, reason })}
              </li>
            ))}
          </ul>
        </>
      )}
      {sample.length > 0 && <PriceTable label={t('server.prices.preview')} prices={sample} />}
    </section>
  )
}
