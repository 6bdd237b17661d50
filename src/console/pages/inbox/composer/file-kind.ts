import { VOICE_NAME } from './voice-recorder'

type KindOfFile = 'image' | 'video' | 'audio' | 'document'
/** Returns as what a file is sent. */
export const kindOf = ({ type }: File): KindOfFile =>
  /^image\/(jpeg|png)$/.test(type)
    ? 'image'
    : /^video\/(mp4|3gpp)$/.test(type)
      ? 'video'
      : type.startsWith('audio/')
        ? 'audio'
        : 'document'

/** Whether a file was recorded here, in the format of voice messages. */
export const isRecording = ({ name, type }: File): boolean =>
  type === 'audio/ogg' && name.startsWith(VOICE_NAME)
