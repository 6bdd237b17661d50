import { Button, IconButton } from '../../../parts/button'
import { t } from '../../../texts/texts'
import { AttachButton } from './attach-button'
import { EmojiPicker } from './emoji-picker'
import { FormatMenu } from './format-menu'
import type { Mark } from './marks'
import { ScheduleButton } from './schedule-button'
import type { Schedule } from './scheduled'
import { VoiceRecorder } from './voice-recorder'

interface Props {
  text: string
  files: readonly File[]
  /** Whether it is for the customer, not for colleagues. */
  isMessage: boolean
  /** Whether files, recordings and a later time are possible. */
  takesFiles: boolean
  isReady: boolean
  isTooLong: boolean
  maxLength: number
  addFiles: (added: FileList | null) => void
  insert: (words: string) => void
  mark: (mark: Mark) => void
  send: () => void
  sendAndClose: () => void
  sendRecording: (file: File) => boolean
  onSchedule: (text: string, schedule: Schedule) => void
}

/** Number of characters before the limit from which on they are counted. */
const COUNTED_BEFORE = 600

/** The row below the field: files, emoji, voice message, length, send. */
export function WriterTools(props: Props) {
  const { isMessage, takesFiles, isReady, isTooLong, maxLength, text, files } = props
  const { addFiles, insert, mark, send, sendRecording } = props
  const { length } = text
  return (
    <div className="writer-tools">
      {takesFiles && <AttachButton onFiles={addFiles} />}
      <EmojiPicker onPick={insert} />
      <FormatMenu onMark={mark} />
      {takesFiles && <VoiceRecorder onRecorded={sendRecording} />}
      <span className="grow" />
      {length >= maxLength - COUNTED_BEFORE && (
        <span className={isTooLong ? 'small over' : 'muted small'}>
          {length} / {maxLength}
        </span>
      )}
      {takesFiles && (
        <ScheduleButton
          isDisabled={text.trim() === '' || isTooLong || files.length > 0}
          onSchedule={(schedule) => {
            props.onSchedule(text.trim(), schedule)
          }}
        />
      )}
      {isMessage && (
        <span className="only-wide">
          <IconButton
            icon="checks"
            label={t('inbox.composer.send-close')}
            shortcut="Ctrl Shift Enter"
            isDisabled={!isReady}
            onPress={props.sendAndClose}
          />
        </span>
      )}
      <Button
        look="primary"
        icon={isMessage ? 'send' : 'note'}
        isDisabled={!isReady}
        onPress={send}
      >
        {t(isMessage ? 'inbox.composer.send' : 'inbox.composer.add-note')}
      </Button>
    </div>
  )
}
