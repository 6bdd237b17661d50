declare module '*.jpg' {
  /** Path of the embedded file. */
  const path: string
  export default path
}

declare module '*.ogg' {
  /** Path of the embedded file. */
  const path: string
  export default path
}

declare module '*.pdf' {
  /** Path of the embedded file. */
  const path: string
  export default path
}
