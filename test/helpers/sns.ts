/** Messages of Amazon SNS, signed with a test key, and a stand-in server for SNS. */
import { sign } from 'node:crypto';
import { newId } from '../../src/ids.js';
import { SnsMessage, signedText } from '../../src/domain/feedback/sns-message.js';
import { startReceiver, type Receiver } from './receiver.js';

/** Valid from 2020 to 2120, trusted only by tests. */
export const SNS_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIICtjCCAZ4CAQEwDQYJKoZIhvcNAQELBQAwIDEeMBwGA1UEAwwVVGVzdHMgb2Yg
U05TIG1lc3NhZ2VzMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAg
MR4wHAYDVQQDDBVUZXN0cyBvZiBTTlMgbWVzc2FnZXMwggEiMA0GCSqGSIb3DQEB
AQUAA4IBDwAwggEKAoIBAQDWkkWZzUnN5GdSk6nfzR4o3gW6DyEU4JdkeMrUxaaa
eULqRt9NJjkkLQid0q3pcb8ysJc08gSSOQXBNIxuHWPaIMVjawNq/hTdaqVrR45s
oOts06J1MwnTWjAgtOhLwLNk5dQf5Mr0LBEO3dE4SX3JZG+ck8hUxT3FGQG7SEJz
sPWF3qlfQksPLtlMgvhyX19FAq35YNF0jlaKr7nm3TTnisCarKhw0EBF8rFRyNG9
rhOXbj+GLoKI15wSZnVJR7mudU0NZ0TJw0K6pNkGBbAmQz8/BPdzwWbC7XNi6UFO
u+BtBvL6paisTqll+oFw2FHm2tgQ1M0OWTk7Cu9R9dmHAgMBAAEwDQYJKoZIhvcN
AQELBQADggEBABhldVAUq/ATsGpXO/IlnSEBKyth2qZrh/izTs6lVpjC5J4Y9heJ
e/5+ixt+Dag6adTHsN+GRxk6CDcfgkK4IiC2cFSZUdzP02irLTO5rrQeFca5w3nR
OV2jjG9NHPc9r2gT1jFh1+TfqtcTq2OakgTFnmOg1RVKhzIayR1Xrf51YVy1E923
6qG6tG0iYvJXIRK/wHl8U4tpks/r5DlOJH3iJaK5h9EzkhBkUANT1HToaMjNY5ye
jio3SaZ07w4ehLR6XcXgA8zAZayORonmUNhax64f5IpHFNKdePFoZJF5Msdyyzr4
X2L6VeZOOh3dYqgblg1UTA6XcrOGQ4ah9Ls=
-----END CERTIFICATE-----
`;

/** The same key, valid from 2010 to 2011. */
export const EXPIRED_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIICtDCCAZwCAQIwDQYJKoZIhvcNAQELBQAwIDEeMBwGA1UEAwwVVGVzdHMgb2Yg
U05TIG1lc3NhZ2VzMB4XDTEwMDEwMTAwMDAwMFoXDTExMDEwMTAwMDAwMFowIDEe
MBwGA1UEAwwVVGVzdHMgb2YgU05TIG1lc3NhZ2VzMIIBIjANBgkqhkiG9w0BAQEF
AAOCAQ8AMIIBCgKCAQEA1pJFmc1JzeRnUpOp380eKN4Fug8hFOCXZHjK1MWmmnlC
6kbfTSY5JC0IndKt6XG/MrCXNPIEkjkFwTSMbh1j2iDFY2sDav4U3Wqla0eObKDr
bNOidTMJ01owILToS8CzZOXUH+TK9CwRDt3ROEl9yWRvnJPIVMU9xRkBu0hCc7D1
hd6pX0JLDy7ZTIL4cl9fRQKt+WDRdI5Wiq+55t0054rAmqyocNBARfKxUcjRva4T
l24/hi6CiNecEmZ1SUe5rnVNDWdEycNCuqTZBgWwJkM/PwT3c8Fmwu1zYulBTrvg
bQby+qWorE6pZfqBcNhR5trYENTNDlk5OwrvUfXZhwIDAQABMA0GCSqGSIb3DQEB
CwUAA4IBAQBSn7cLkBsJTtABGFL5MI8xISF8Icko/GabqhzzDVXlp9eUMVJZPKJp
A0j4qNcsViGkY+LDXhKW2ho5eVq7dHO2kBfajlIeTaQaTU/KslzH8B9hXVK4qneP
OskFxc3aMHDYG5fjKjk1aeEThmnmSdjI5e35EONafxWNIlaSMk8jh58QJbgQNSQz
42ilAwcFutyq6NxdtnvoOv+5ZN7cZDPA9AtMNBbHlbmF0WbCVxDYfUXskX+vEb/B
g0yrat35GZcHWa2pcdbXk/NwAkP0CqtpWgImqoNI3TFERUwNnaH5DnWf0qYVY+xd
JFFD+6IZsU/BT/u/8+oB4Oju2y7qoYUC
-----END CERTIFICATE-----
`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDWkkWZzUnN5GdS
k6nfzR4o3gW6DyEU4JdkeMrUxaaaeULqRt9NJjkkLQid0q3pcb8ysJc08gSSOQXB
NIxuHWPaIMVjawNq/hTdaqVrR45soOts06J1MwnTWjAgtOhLwLNk5dQf5Mr0LBEO
3dE4SX3JZG+ck8hUxT3FGQG7SEJzsPWF3qlfQksPLtlMgvhyX19FAq35YNF0jlaK
r7nm3TTnisCarKhw0EBF8rFRyNG9rhOXbj+GLoKI15wSZnVJR7mudU0NZ0TJw0K6
pNkGBbAmQz8/BPdzwWbC7XNi6UFOu+BtBvL6paisTqll+oFw2FHm2tgQ1M0OWTk7
Cu9R9dmHAgMBAAECggEADwGw43ZTlJZGUaSpK1FVrCcHAIHBXwvsGqdGDEZ8he44
K1lkkak8MtcBdMRAzIRbimiGUrogbreVOvN5ZNQiYSWMmIzp8sgtXmTwh8W75MYG
YRiWEptMsx7qIcd1PaMPCN34DXj7ZsNUOBV0Zfrh1L10/t7pEmCvFsNOdzIxD5Uu
Vx5czpJ3susHdlS2yq+O5BbnyDDn87Mqm+K6ryX5YYaWHgBYqxj/qzHIu5VPVYOK
z2BroZMqdX4VUQEoV8ZoDBL3N3JiAlzBX9kakS48xnIgY7qaoHXIm09Il4BlBdDF
90cIkWzZNMW6JjJtYbTqSJqrzvkXtZgQBg17L08XmQKBgQD/bfV8B6hKcVe4VJ/E
Jmsc7Pi7bQ5YikEV9sLdHLE78jphTnQgF5t0bnvxo4wgYPFFoY8uEEyUSWW0cpiM
pyTVSY8TEetF/NblKf1A7izMRmQ7Jj/XaklSdtR/0NF15iba4aR6xR6E7dwI9hey
h3zfTzLh068lFDpePjgAgKKgmQKBgQDXDPPSOPN9rT4u8HMEhT1BDRF3f+mSxN+8
dK9PIG1YojUNab2s71s8X6mwuDRRzvZ7ajopyNW5mRX7cmz1EHWCCfiAgESl3p0g
HxuTm+vh6NAj9/wl3rgN+w/E6vukvzFddBgcTlvnBod2zaFRGKXQ16pldgnU2BdW
MRoFFiz/HwKBgADcgRBrAjFGEpKnjmZd7syJLAmNw5ee17tYOq3+M8bM+U9ssU2O
ZtLMsJRPBeDyEr42XkI8gdWaLcKfBE6tHZ2ugtIApHd2886QBq+aXgJOVnYwmdSD
Ij4p8mt/68TnAsiILELRuVmfZ7eMBOZwOIaUQMqsKRIJ8Gxy70NpK6M5AoGAW+NR
73qcOBAlaOMfEkhoUvplgz0prafnvdvR6Kp/boboylFrVZB02Ig7tqIO4QHg+fz6
203QXNyXsvhCrDgbLbRa9XVZX9KOKuJ/4wOVt9LF1QiqOfg/huHG7CpH2i5Dxp3L
i5TD2iRFD7NvgXpZp7HvQik8rDClUBPs/U1rbpsCgYEA6iVxVEaDbsX/uvzQ6wK4
ZaEZYw2QsKyG6Gizn/mvKFYvtPqWbc4UBXPPofutiLWhet2JQ26Wuot30tzopI4/
Y8Pij0bkwJ0ibtNx3uIO/bQdntH1zz6P2Ko2vKgoTIH0vTMZPnFtF58bDReuh+eY
TEXKzTWA4Iw7zBwITSuJQmA=
-----END PRIVATE KEY-----
`;

export const TOPIC = 'arn:aws:sns:us-east-1:123456789012:ses';

/** A signed message; `fields` replace its own before it is signed. */
export function signed(fields: Partial<SnsMessage> = {}, version: '1' | '2' = '2'): SnsMessage {
  const message: SnsMessage = {
    Type: 'Notification',
    MessageId: newId(),
    TopicArn: TOPIC,
    Message: '{}',
    Timestamp: new Date().toISOString(),
    SignatureVersion: version,
    Signature: '-',
    SigningCertURL: 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-01.pem',
    ...fields,
  };
  return {
    ...message,
    Signature: sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(signedText(message)), KEY).toString('base64'),
  };
}

export interface FakeSns extends Receiver {
  certificateUrl: string;
  confirmUrl: string;
}

/** Stands for SNS: certificates at `/good.pem`, `/expired.pem` and `/garbage.pem`, everything else is confirmed. */
export async function startFakeSns(): Promise<FakeSns> {
  const receiver = await startReceiver();
  receiver.answer((response, { url }) => {
    if (url === '/good.pem') return response.end(SNS_CERTIFICATE);
    if (url === '/expired.pem') return response.end(EXPIRED_CERTIFICATE);
    if (url === '/garbage.pem') return response.end('no certificate');
    if (url === '/huge.pem') return response.end(`${' '.repeat(100_000)}${SNS_CERTIFICATE}`);
    if (url.endsWith('.pem')) return response.writeHead(404).end();
    return response.end('<ConfirmSubscriptionResponse/>');
  });
  return Object.assign(receiver, {
    certificateUrl: `${receiver.origin}/good.pem`,
    confirmUrl: `${receiver.origin}/?Action=ConfirmSubscription&Token=t`,
  });
}
