import { useRef, useState } from 'react'

import { TextArea } from '../../parts/field'
import { Trouble } from '../../parts/state'
import { fileForServer, fileOfText, fileSentence } from '../../parts/table-file'
import { Upload } from '../../parts/upload'
import { t } from '../../texts/texts'

interface Props {
  maxBytes: number
  /** Sends a file to the server. */
  onFile: (
    file: File,
    options: { signal: AbortSignal; onProgress: (share: number) => void },
  ) => Promise<void>
}

/** A file is dropped, chosen or pasted. */
export function FileStep({ maxBytes, onFile }: Props) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const [share, setShare] = useState(0)
  const sending = useRef<AbortController | null>(null)
  const send = (make: () => File | Promise<File>): void => {
    const abort = new AbortController()
    sending.current = abort
    setBusy(true)
    setShare(0)
    setError(null)
    Promise.resolve()
      .then(make)
      .then((file) => onFile(file, { signal: abort.signal, onProgress: setShare }))
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
        share={share}
        onFile={(file) => {
          send(() => fileForServer(file))
        }}
        onCancel={() => sending.current?.abort()}
      />
      {error !== null && <Trouble>{fileSentence(error)}</Trouble>}
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
    </>
  )
}
