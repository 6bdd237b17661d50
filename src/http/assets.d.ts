declare module 'swagger-ui-dist/*.js' {
  /** Path of the embedded file. */
  const path: string
  export default path
}

declare module 'swagger-ui-dist/*.css' {
  /** Path of the embedded file. */
  const path: string
  export default path
}

declare module '*.md' {
  /** The text of the file. */
  const text: string
  export default text
}

declare module '*.webp' {
  /** Path of the embedded file. */
  const path: string
  export default path
}
