import { useEffect, useRef, useState } from 'react'

import { Button, IconButton } from '../../../parts/button'
import { Player } from '../../../parts/player'
import { notify, report } from '../../../parts/toast'
import { formatClock } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { oggOf } from './ogg'

/** Formats of recordings, the best for the platform first. */
const FORMATS = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4']
/** Name of recordings, by which they are sent as voice messages. */
export const VOICE_NAME = 'voice-message'
const TICK_MS = 100

interface Recording {
  recorder: MediaRecorder
  stream: MediaStream
  startedMs: number
}

/** Returns a recording as a file that the platform takes, or `null` if nothing was recorded. */
async function fileOf(parts: Blob[], format: string): Promise<File | null> {
  const type = (format || 'audio/ogg').split(';')[0] ?? 'audio/ogg'
  if (parts.every(({ size }) => size === 0)) return null
  if (type === 'audio/webm') {
    const ogg = await oggOf(new Blob(parts))
    return ogg && new File([ogg], `${VOICE_NAME}.ogg`, { type: 'audio/ogg' })
  }
  return new File(parts, `${VOICE_NAME}.${type.split('/')[1] ?? 'ogg'}`, { type })
}

async function record(onDone: (file: File) => void): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } })
  const format = FORMATS.find((one) => MediaRecorder.isTypeSupported(one))
  const recorder = new MediaRecorder(stream, format === undefined ? {} : { mimeType: format })
  const parts: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => {
    parts.push(data)
  })
  recorder.addEventListener('stop', () => {
    for (const track of stream.getTracks()) track.stop()
    fileOf(parts, recorder.mimeType)
      .then((file) => {
        if (file) onDone(file)
        else notify(t('inbox.voice.short'))
      })
      .catch(report)
  })
  recorder.start()
  return { recorder, stream, startedMs: performance.now() }
}

/**
 * Records a voice message. It can be played before it is sent, and is kept until `onRecorded` returns
 * that it was.
 */
export function VoiceRecorder({ onRecorded }: { onRecorded: (file: File) => boolean }) {
  const [recording, setRecording] = useState<Recording | null>(null)
  const [file, setFile] = useState<File | null>(null)
  const current = useRef<Recording | null>(null)
  useEffect(
    () => () => {
      current.current?.recorder.stop()
    },
    [],
  )
  const start = (): void => {
    record(setFile)
      .then((started) => {
        current.current = started
        setRecording(started)
      })
      .catch(report)
  }
  const stop = (): void => {
    recording?.recorder.stop()
    current.current = null
    setRecording(null)
  }
  if (recording) return <Running {...recording} onStop={stop} />
  if (file)
    return (
      <Review
        file={file}
        onDone={(isWanted) => {
          if (!isWanted || onRecorded(file)) setFile(null)
        }}
      />
    )
  return <IconButton icon="microphone" label={t('inbox.voice.record')} onPress={start} />
}

/** Returns a function that measures how loud a stream is now, from 0 to 1, and one that ends it. */
function meterOf(stream: MediaStream): { level: () => number; stop: () => void } {
  const audio = new AudioContext()
  const analyser = audio.createAnalyser()
  analyser.fftSize = 512
  audio.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  return {
    level: () => {
      analyser.getFloatTimeDomainData(samples)
      const power = samples.reduce((sum, one) => sum + one * one, 0) / samples.length
      return Math.min(1, Math.sqrt(power) * 3)
    },
    stop: () => {
      audio.close().catch(() => undefined)
    },
  }
}

interface RunningProps extends Omit<Recording, 'recorder'> {
  onStop: () => void
}

/** How long the recording is and how loud it is now. */
function Running({ startedMs, stream, onStop }: RunningProps) {
  const [{ nowMs, level }, setNow] = useState({ nowMs: startedMs, level: 0 })
  useEffect(() => {
    const meter = meterOf(stream)
    const timer = setInterval(() => {
      setNow({ nowMs: performance.now(), level: meter.level() })
    }, TICK_MS)
    return () => {
      clearInterval(timer)
      meter.stop()
    }
  }, [stream])
  return (
    <span className="voice">
      <span className="recording" aria-hidden="true" />
      <time>{formatClock(nowMs - startedMs)}</time>
      <meter aria-label={t('inbox.voice.level')} value={level} />
      <IconButton icon="stop" label={t('inbox.voice.stop')} onPress={onStop} />
    </span>
  )
}

function Review({ file, onDone }: { file: File; onDone: (isWanted: boolean) => void }) {
  const [url] = useState(() => URL.createObjectURL(file))
  useEffect(
    () => () => {
      URL.revokeObjectURL(url)
    },
    [url],
  )
  return (
    <span className="voice">
      <Player url={url} lengthMs={null} />
      <IconButton
        icon="trash"
        label={t('inbox.voice.discard')}
        onPress={() => {
          onDone(false)
        }}
      />
      <Button
        look="primary"
        icon="send"
        onPress={() => {
          onDone(true)
        }}
      >
        {t('inbox.voice.send')}
      </Button>
    </span>
  )
}
