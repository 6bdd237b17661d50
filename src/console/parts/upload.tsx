import { useRef, useState, type DragEvent } from 'react'

import { formatBytes, formatPercent } from '../texts/format'
import { t } from '../texts/texts'
import { Button } from './button'
import { Icon } from './icons'
import { Trouble } from './state'

interface Props {
  label: string
  /** What files are taken, told before one is chosen. */
  hint: string
  /** Endings and types for the browser's own window, such as `.csv,.xlsx`. */
  accept: string
  maxBytes: number
  /** Whether a file is being sent now. */
  isBusy?: boolean
  /** Which share of the file has left, from 0 to 1, if that is known. */
  share?: number
  onFile: (file: File) => void
  /** Stops what is being sent. */
  onCancel?: () => void
}

/** A place where a file is dropped or chosen. Its limits are told before. */
export function Upload({ label, hint, accept, maxBytes, isBusy, share, onFile, onCancel }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const take = (files: FileList | null): void => {
    const file = files?.[0]
    if (!file) return
    const isTooLarge = file.size > maxBytes
    const sizes = { size: formatBytes(file.size), limit: formatBytes(maxBytes) }
    setProblem(isTooLarge ? t('parts.upload.too-large', sizes) : null)
    if (!isTooLarge) onFile(file)
  }
  const over =
    (isInside: boolean) =>
    (event: DragEvent): void => {
      event.preventDefault()
      setOver(isInside)
    }
  return (
    <div
      role="group"
      aria-label={label}
      className={isOver ? 'upload dropping' : 'upload'}
      onDragOver={over(true)}
      onDragLeave={over(false)}
      onDrop={(event) => {
        over(false)(event)
        take(event.dataTransfer.files)
      }}
    >
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        onChange={({ currentTarget }) => {
          take(currentTarget.files)
          currentTarget.value = ''
        }}
      />
      <Icon name="file" size={28} />
      {isBusy === true ? (
        <Sending share={share} />
      ) : (
        <p>
          <Button
            onPress={() => {
              input.current?.click()
            }}
          >
            {t('parts.upload.choose')}
          </Button>{' '}
          {t('parts.upload.drop')}
        </p>
      )}
      <p className="muted small">
        {hint} {t('parts.upload.limit', { size: formatBytes(maxBytes) })}
      </p>
      {problem !== null && <Trouble>{problem}</Trouble>}
      {isBusy === true && onCancel && (
        <Button look="quiet" onPress={onCancel}>
          {t('parts.action.cancel')}
        </Button>
      )}
    </div>
  )
}

/** How much of a file has left; then it is read. */
function Sending({ share }: { share: number | undefined }) {
  if (share === undefined || share === 1) return <p role="status">{t('parts.upload.reading')}</p>
  const percent = Math.floor(share * 100)
  return (
    <div className="upload-progress">
      <p aria-hidden="true">{t('parts.upload.sending', { share: formatPercent(percent / 100) })}</p>
      <span
        className="upload-bar"
        role="progressbar"
        aria-label={t('parts.upload.progress')}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ inlineSize: `${percent}%` }} />
      </span>
    </div>
  )
}
