import { analyze } from './analyze.ts';

/**
 * Words that developers use for one thing in English, Spanish and Korean, some in Japanese or Chinese, and how Korean
 * spells foreign names. One group a line. Fixed, so that a search means the same everywhere and forever; short, because
 * a wrong synonym harms more than a missing one.
 */
const GROUPS = `
account cuenta 계정
address dirección 주소
alert alarm notification aviso notificación 알림 알람
amount price cost importe precio coste 금액 가격 비용
approve approval authorize aprobar 승인 허락
audio sound sonido 오디오 소리
auth authentication login signin sign-in autenticación 로그인 인증 認証
backend servidor server 서버 백엔드 サーバー
backup respaldo 백업
ban forbid prohibit forbidden prohibir 금지
batch lote 배치
barcode 바코드
branch rama 브랜치
browser navegador 브라우저
bug defect error fault fallo 버그 오류 에러 결함
build compile compilación compilar 빌드 컴파일
cache caché 캐시 キャッシュ
cart basket carrito 장바구니 카트
change cambio 변경
cluster 클러스터
comment comentario 댓글 주석
commit 커밋
component componente 컴포넌트
config configuration setting settings configuración ajuste 설정 구성 設定
connection conexión connect 연결 接続
container contenedor 컨테이너
cookie 쿠키
coupon 쿠폰
crash outage incident caída 장애 사고 크래시 障害
customer client cliente 고객
database db bbdd 데이터베이스 디비 データベース 数据库
date fecha 날짜
deadlock 데드락 교착
decide decision decisión 결정
delete remove erase eliminar borrar 삭제 제거 削除
delivery shipping shipment envío 배송 送料 配送
dependency dependencia 의존성
deploy deployment rollout despliegue desplegar 배포 デプロイ 部署
deprecate deprecated obsolete obsoleto 폐기
design diseño 설계 디자인
developer desarrollador 개발자
disable desactivar 비활성화
disk disco 디스크
docker 도커
document documentation docs documentación documento 문서
download descarga descargar 다운로드 내려받기
duplicate duplicado 중복
encrypt encryption cifrado cifrar 암호화
endpoint api 엔드포인트
environment env entorno 환경
event evento 이벤트
exception excepción 예외
exchange currency divisa 환율
export exportar 내보내기
file archivo fichero 파일
fix solution solve resolve arreglo solución 수정 해결
flaky intermittent intermitente 간헐적
folder directory carpeta directorio 폴더 디렉터리 디렉토리
font typeface fuente 글꼴 폰트 서체
format formato 형식 포맷
freeze hang stuck 멈춤
frontend 프런트엔드 프론트엔드
function función 함수
git 깃
github 깃허브
grafana 그라파나
graphql 그래프큐엘
gradle 그래들
hook 훅
image imagen picture 이미지 사진
import importar 가져오기
index índice 인덱스 색인
infinite infinito 무한
input entrada 입력
install installation instalar instalación 설치
inventory stock inventario 재고 在庫 库存
invoice factura 청구서 송장
issue ticket 이슈 티켓
java 자바
jenkins 젠킨스
kafka 카프카
key clave 키
keyboard teclado 키보드
kubernetes k8s 쿠버네티스
lambda 람다
latency latencia 지연 레이턴시
leak fuga 누수
library biblioteca librería 라이브러리
licence license licencia 라이선스
limit límite 제한 한도
linux 리눅스
list lista listado 목록 리스트
load carga 부하 로드
lock candado bloqueo 락 잠금
log logs registro 로그
loop bucle 루프
mail email correo 메일 이메일
member user usuario 회원 사용자 유저 ユーザー
memory memoria 메모리
merge fusionar 병합 머지
message mensaje 메시지
metric métrica 지표 메트릭
migrate migration migración migrar 마이그레이션 이전
mobile móvil 모바일
mongodb mongo 몽고디비
monitoring monitor monitorización 모니터링 감시
mysql 마이에스큐엘
name nombre 이름
network red 네트워크
nginx 엔진엑스
offset 오프셋
order pedido 주문 注文
overflow desbordamiento 오버플로
package paquete 패키지
page página 페이지
pagination paging paginación 페이징 페이지네이션 分页
parameter parámetro 매개변수 파라미터
partition partición 파티션
password contraseña 비밀번호 패스워드
payment pay pago pagos 결제 決済 支付
performance rendimiento 성능
permission permissions permiso 권한
playwright 플레이라이트
plugin plug-in add-on addon complemento 플러그인
point 포인트
policy política 정책
pool 풀
port puerto 포트
postgres postgresql 포스트그레스
prometheus 프로메테우스
proxy 프록시
push 푸시
python 파이썬
query consulta 쿼리 질의
queue cola 큐
quota cuota 할당량
react 리액트
redis 레디스
refactor refactoring refactorizar 리팩터링 리팩토링
refund reembolso 환불 返金
region región 리전
release publish versión publicar 릴리스 출시
rename renombrar 개명
replica réplica 복제본 레플리카
repository repo repositorio 저장소 리포지토리
request petición solicitud 요청
response respuesta 응답
restart reboot reiniciar reinicio 재시작
retry reintento reintentar 재시도
review revisión 리뷰 검토
risk riesgo 위험
role rol 역할
rollback revert undo revertir 롤백 되돌리기
rust 러스트
scanner escáner 스캐너
schedule scheduler cron programar 스케줄 스케줄러 예약
schema esquema 스키마
screen pantalla 화면
script 스크립트
search búsqueda buscar 검색 検索
secret secreto 비밀값 시크릿
security seguridad 보안
service servicio 서비스
session sesión 세션
setup 셋업
settlement 정산
shortcut atajo 단축키
signature firma 서명
sort order-by ordenar 정렬
spark 스파크
spec specification especificación 명세 스펙
spring 스프링
state estado status 상태
storage almacenamiento 스토리지
stream streaming 스트림 스트리밍
style estilo 스타일
supplier vendor proveedor 공급사 공급업체 供应商
sync synchronize synchronization sincronizar sincronización 동기화 同步
table tabla 테이블
tag etiqueta 태그
task tarea 작업
terraform 테라폼
test tests prueba pruebas 테스트 テスト
thread hilo 스레드
timeout 타임아웃 시간초과
token tokens ficha 토큰
tool herramienta 도구
transaction transacción 트랜잭션 거래
type tipo 타입 자료형
typescript 타입스크립트
typo typos errata 오타
update upgrade actualizar actualización 업데이트 갱신 업그레이드
upload subir 업로드 올리기
validate validation validación validar 검증 유효성
value valor 값
vault 볼트
version versión 버전
warehouse almacén 창고 倉庫 仓库
warning advertencia 경고
webhook 웹훅
websocket websockets 웹소켓
webview 웹뷰
weight peso 무게 중량 重量
window ventana 창
worker 워커
`;

let table: ReadonlyMap<string, readonly string[]> | undefined;

/** The other words of a term's group, in analysed form; none for most terms. */
export function synonymsOf(term: string): readonly string[] {
  table ??= build();
  return table.get(term) ?? [];
}

function build(): Map<string, readonly string[]> {
  const synonyms = new Map<string, readonly string[]>();
  for (const line of GROUPS.trim().split('\n')) {
    // A word stands for itself: the lighter forms that help to find it would bring in other words.
    const group = [...new Set(line.split(' ').flatMap((word) => analyze(word).slice(0, 1)))].map(
      ({ text }) => text,
    );
    for (const word of group) {
      const others = group.filter((other) => other !== word);
      synonyms.set(word, [...new Set([...(synonyms.get(word) ?? []), ...others])]);
    }
  }
  return synonyms;
}
