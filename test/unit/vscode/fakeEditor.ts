/** The parts of the editor's API that chat models and tools consist of, for tests. */
export class LanguageModelTextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}
export class LanguageModelThinkingPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}
export class LanguageModelPromptTsxPart {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
export class LanguageModelDataPart {
  readonly data: Uint8Array;
  readonly mimeType: string;
  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }
}
export class LanguageModelToolCallPart {
  readonly callId: string;
  readonly name: string;
  readonly input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
export class LanguageModelToolResultPart {
  readonly callId: string;
  readonly content: unknown[];
  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}
export class LanguageModelError extends Error {
  static NotFound(message: string) {
    return new LanguageModelError(message, 'NotFound');
  }
  static NoPermissions(message: string) {
    return new LanguageModelError(message, 'NoPermissions');
  }
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}
export const LanguageModelChatMessageRole = { User: 'user', Assistant: 'assistant' };
export const LanguageModelChatMessage = {
  User: (content: unknown) => ({ role: 'user', content }),
  Assistant: (content: unknown) => ({ role: 'assistant', content }),
};
export const LanguageModelChatToolMode = { Auto: 'auto', Required: 'required' };
export class CancellationError extends Error {}
export class CancellationTokenSource {
  readonly token = { isCancellationRequested: false };
  cancel() {
    this.token.isCancellationRequested = true;
  }
  dispose() {}
}
export const l10n = {
  t: (text: string, ...values: unknown[]) =>
    text.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)] ?? '')),
};
